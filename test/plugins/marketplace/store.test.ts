import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../../kernel/tools/clock.ts';
import { operation } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { OpenStore } from '../../../kernel/store/serving/store.ts';
import { openShipped } from '../../helpers/stores/open-shipped.ts';
import type { Listing } from '../../../plugins/marketplace/listing.ts';
import marketplaceStore from '../../../plugins/marketplace/store.ts';
import { readsNow } from '../../helpers/reads.ts';

const listing: Listing = {
  orb_id: 'demo.echo@1.0.0',
  namespace: 'demo',
  name: 'echo',
  version: '1.0.0',
  title: 'Echo',
  description: 'Echoes.',
  readme: '# Echo',
  category: 'toys',
  tags: ['a', 'b'],
  manifest_digest: `sha256:${'0'.repeat(64)}`,
  manifest_signed: true,
  status: 'active',
  published_at: '2026-11-21T00:00:00.000Z',
  updated_at: '2026-11-21T00:00:00.000Z',
  listed_at: '2026-11-21T00:00:00.000Z',
  published_after: '',
  listed_after: '',
  receipt_id: 'rec_x',
  revision: 1,
};

describe('the store of listings', () => {
  let dir: string;
  let store: OpenStore;
  const put = (given: Listing): Promise<unknown> => store.write([operation(marketplaceStore, 'put', given)]);
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orb-listings-'));
    const file = new URL('../../../plugins/marketplace/store.ts', import.meta.url).pathname;
    const modules = [{ module: marketplaceStore, file }];
    store = await openShipped({ stateDir: dir, modules, version: '1.0.0', clock: systemClock, log: silentLog });
  });
  afterEach(async () => {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('reads a listing as it was written, and lists it without its README', async () => {
    const reads = readsNow(store, marketplaceStore);
    await put(listing);
    expect(reads.find(listing.orb_id)).to.deep.equal(listing);
    expect(reads.all()).to.deep.equal([{ ...listing, readme: '' }]);
    expect(reads.find('demo.echo@2.0.0')).to.equal(undefined);
  });

  it('refuses a change that was not made from the newest state, and keeps what stood', async () => {
    const reads = readsNow(store, marketplaceStore);
    await put(listing);
    await put({ ...listing, title: 'Second', revision: 2 });
    for (const revision of [1, 2, 4]) {
      const failure = await put({ ...listing, title: 'Late', revision }).catch((error: unknown) => error);
      expect(failure).to.include({ code: 'storage_unavailable' });
    }
    expect(reads.find(listing.orb_id)?.title).to.equal('Second');
  });
});
