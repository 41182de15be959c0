import { expect } from 'chai';
import { readGuide } from '../../helpers/guide.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

describe('the page on CORS', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const allowed = async (method: string, path: string): Promise<string | null> => {
    const answer = await fetch(platform.url + path, { method, headers: { origin: 'https://page.example' } });
    await answer.arrayBuffer();
    return answer.headers.get('access-control-allow-origin');
  };

  it('names routes that each page may read', async () => {
    const table = /^\| Data[^]*?\n\n/m.exec(readGuide('plugins/docs/pages/call/cors.md'))?.[0] ?? '';
    const paths = [...table.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(paths.length).to.be.greaterThan(12);
    // Without a published Orb these answer 404; the route is what is asked about.
    const values: Readonly<Record<string, string>> = { '{code}': 'rate_limited' };
    for (const path of paths.filter((one) => !/\{(?:orb_id|id|n)\}/.test(one)))
      expect(
        await allowed(
          'GET',
          path.replace(/\{\w+\}/, (name) => values[name] ?? name),
        ),
        path,
      ).to.equal('*');
  });

  it('says that no page may call a route that needs a key', async () => {
    for (const [method, path] of [
      ['OPTIONS', '/orbisets/default/execute'],
      ['POST', '/orbisets/default/execute'],
      ['GET', '/runs'],
    ] as const)
      expect(await allowed(method, path), path).to.equal(null);
  });
});
