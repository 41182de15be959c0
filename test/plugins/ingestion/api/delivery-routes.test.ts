import { expect } from 'chai';
import { deliveryRoutes } from '../../../../plugins/ingestion/api/delivery-routes.ts';

describe('the replay of many deliveries', () => {
  it('stops looking, and queues nothing, once its caller is gone', async () => {
    const gone = new AbortController();
    let pages = 0;
    const deliveries = async () => {
      if (++pages === 3) gone.abort();
      if (pages > 50) throw new Error('it goes on');
      return { items: [{ delivery_id: `dlv_${pages}`, source_id: 'src_1' }], next: `dlv_${pages}` };
    };
    const write = () => expect.fail('nothing is to be queued');
    const scope = { lists: { deliveries }, store: { write } } as unknown as Parameters<typeof deliveryRoutes>[0];
    const route = deliveryRoutes(scope).find(({ path, method }) => method === 'POST' && path === '/deliveries/replay');
    const call = { body: { dry_run: false }, disconnected: gone.signal };
    expect(await route?.handle(call as never)).to.deep.equal({ matched: 3, queued: 0 });
    expect(pages).to.equal(3);
  });
});
