import { expect } from 'chai';
import type { Reply, Route } from '../../../kernel/index.ts';
import { clientsRoutes } from '../../../plugins/clients/routes.ts';
import { pages } from '../../helpers/written-page.ts';

describe('the routes of the clients', () => {
  it('make their page and the retry table once: neither changes while the server runs', async () => {
    let described = 0;
    const describing = (): object => {
      described += 1;
      return { problems: [] };
    };
    const scope = { packages: async () => [], pages, publicUrl: 'http://orb.test', version: '1.2.3' };
    const routes = clientsRoutes({ ...scope, platform: { describe: describing } as never });
    const ask = async (path: string): Promise<Reply> => {
      const route = routes.find((one) => one.path === path) as Route;
      return (await route.handle({ headers: { accept: 'text/html' } } as never)) as Reply;
    };
    expect(await ask('/clients')).to.equal(await ask('/clients'));
    const [one, two] = [await ask('/clients/retry.json'), await ask('/clients/retry.json')];
    expect([two.body, described]).to.deep.equal([one.body, 1]);
  });
});
