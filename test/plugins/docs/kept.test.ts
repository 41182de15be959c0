import { expect } from 'chai';
import type { Reply, Route, Section } from '../../../kernel/index.ts';
import type { Library } from '../../../plugins/docs/library.ts';
import { docsRoutes } from '../../../plugins/docs/routes.ts';
import { pages, written } from '../../helpers/written-page.ts';

describe('the pages of the documentation', () => {
  let text = '# Call\n\nHow to call.';
  let searches = 0;
  const page = { path: 'call', title: 'Call', source: () => text };
  const library: Library = {
    pages: () => [page],
    find: (path) => (path === 'call' ? page : undefined),
    groups: () => [],
  };
  const search = async () => {
    searches += 1;
    return [];
  };
  const routes = docsRoutes({ library, search, version: '1.2.3', publicUrl: 'http://orb.test', pages });
  const ask = async (path: string, call: object): Promise<Reply> => {
    const route = routes.find((one) => one.path === path) as Route;
    return (await route.handle(call as never)) as Reply;
  };
  const sections: readonly Section[] = [];
  const bodyOf = (page: Reply) => written(page, sections).body;

  it('are written once, until their text changes', async () => {
    const call = { params: { page: 'call' } };
    const first = await ask('/docs/{page}', call);
    const again = await ask('/docs/{page}', call);
    expect(again).to.equal(first);
    // The same bytes are found again by whoever keeps what was made of it.
    expect(Object.is(bodyOf(again), bodyOf(first))).to.equal(true);
    text = '# Call\n\nHow to call now.';
    expect(bodyOf(await ask('/docs/{page}', call)).toString()).to.include('How to call now.');
  });

  it('are searched once for the same words', async () => {
    const call = { query: { q: 'key' } };
    const first = await ask('/docs/search', call);
    expect(await ask('/docs/search', call)).to.equal(first);
    expect(searches).to.equal(1);
    for (let other = 0; other < 300; other += 1) await ask('/docs/search', { query: { q: `${other}` } });
    await ask('/docs/search', call);
    expect(searches).to.equal(302);
  });
});
