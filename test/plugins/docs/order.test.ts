import { expect } from 'chai';
import { operationsOf } from '../../helpers/openapi.ts';
import { startPlatform } from '../../helpers/platform.ts';

describe('the list of the API reference', () => {
  it('begins with the call that runs an Orb, and has every route once, by topic', async () => {
    const platform = await startPlatform();
    const text = String((await platform.call('GET', '/docs/api', undefined, null)).body);
    const { body } = await platform.call('GET', '/openapi.json');
    await platform.stop();
    const [, article = ''] = /<article([^]*?)<\/article>/.exec(text) ?? [];
    const parts = article.split('<h2 ').slice(1);
    const listed = parts.map((part) => [...part.matchAll(/<code>([A-Z]+ \/[^<]*)<\/code>/g)].map(([, title]) => title));
    expect(listed[0]?.slice(0, 4)).to.deep.equal([
      'POST /orbisets/{id}/execute',
      'POST /orbisets/{id}/preview',
      'GET /runs/{run_id}',
      'GET /runs',
    ]);
    expect(listed.flat()).to.have.members(operationsOf(body).map(([title]) => title));
    // The last topic takes what fits no other.
    const pages = /^\w+ \/(?:$|console|docs|llms|logo|favicon|robots|openapi|problems)/;
    expect(listed.at(-1)?.filter((title = '') => !pages.test(title))).to.deep.equal([]);
  });
});
