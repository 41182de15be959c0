import { expect } from 'chai';
import { letThrough } from '../../helpers/let-through.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

describe('the links of the documentation, as it is served', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const read = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const { status, body } = await letThrough(() => platform.call('GET', path, undefined, null));
    return { status, text: typeof body === 'string' ? body : '' };
  };

  it('lead to pages and headings that exist', async () => {
    const seen = new Map<string, string>();
    const waiting = ['/docs'];
    const anchors: [from: string, path: string, anchor: string][] = [];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      const { status, text } = await read(path);
      expect(status, path).to.equal(200);
      seen.set(path, text);
      // Beyond its own pages it is enough that they answer.
      if (!path.startsWith('/docs')) continue;
      for (const [, target = ''] of text.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        if (/^https?:/.test(target)) continue;
        const [to = '', anchor] = target.split('#');
        const page = to === '' ? path : to;
        expect(page, `${path}: ${target}`).to.match(/^\//);
        if (anchor !== undefined) anchors.push([path, page, anchor]);
        waiting.push(page);
      }
    }
    expect(seen.size).to.be.greaterThan(150);
    const dead = anchors.filter(([, page, anchor]) => !seen.get(page)?.includes(`id="${anchor}"`));
    expect(dead).to.deep.equal([]);
  }).timeout(120_000);
});
