import { expect } from 'chai';
import { attestListing } from '../../../../plugins/marketplace/publish/attest-listing.ts';
import type { MarketScope } from '../../../../plugins/marketplace/scope.ts';
import { storeAlone } from '../alone.ts';

function scopeWith(settled: () => Promise<void>) {
  const told: string[] = [];
  const scope = {
    clock: { now: () => 0 },
    platform: { attest: () => Promise.resolve({ receipt_id: 'rec_1' }), keepManifest: () => [] },
    listings: { now: () => ({}), changed: () => void told.push('changed'), entryOf: (listing: object) => listing },
    reputation: { settled },
    log: { warn: (_: object, text: string) => void told.push(text) },
    store: storeAlone,
  } as unknown as MarketScope;
  return { scope, told };
}

type Attesting = Parameters<MarketScope['platform']['attest']>[0];

const attest = (scope: MarketScope) =>
  attestListing({ orb_id: 'a.b@1.0.0' } as never, { facts: {}, decision: {} } as never, scope);

describe('attesting a listing', () => {
  it('answers when the ledger knows of it, and has the lists made again then', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { scope, told } = scopeWith(() => {
      setImmediate(() => {
        told.push('the ledger knows');
        resolve();
      });
      return promise;
    });
    expect(await attest(scope)).to.include({ receipt_id: 'rec_1' });
    expect(told).to.deep.equal(['changed', 'the ledger knows', 'changed']);
  });

  it('answers also when the ledger is behind, and says so in the log', async () => {
    const { scope, told } = scopeWith(() => Promise.reject(new Error('the log cannot be read')));
    expect(await attest(scope)).to.include({ receipt_id: 'rec_1' });
    expect(told).to.deep.equal(['changed', 'the ledger is behind', 'changed']);
  });

  it('stores the listing with its receipt, what follows of that, and the manifest that it names', async () => {
    const { scope } = scopeWith(() => Promise.resolve());
    const attested: Attesting[] = [];
    const platform = {
      attest: async (given: Attesting) => ({ receipt_id: `rec_${attested.push(given)}` }),
      keepManifest: (...kept: readonly string[]) => [{ store: 'manifests', name: 'keep', args: kept }],
    };
    const written = async (facts: object) => {
      const market = { ...scope, platform, runtime: platform } as unknown as MarketScope;
      const said = { facts, decision: {} } as never;
      const more = (entry: object) => [{ store: 'marketplace', name: 'more', args: entry }];
      await attestListing({ orb_id: 'a.b@1.0.0' } as never, said, market, more);
      return attested
        .at(-1)
        ?.operations('rec_9')
        .map(({ name, args }) => [name, args]);
    };
    const listing = { orb_id: 'a.b@1.0.0', receipt_id: 'rec_9' };
    const both = [
      ['put', listing],
      ['more', listing],
    ];
    expect(await written({})).to.deep.equal(both);
    expect(await written({ manifest_digest: 'sha256:x' })).to.deep.equal([
      ...both,
      ['keep', ['a.b@1.0.0', 'sha256:x']],
    ]);
    expect(attested[0]?.fact).to.deep.include({
      kind: 'standing',
      orb_id: 'a.b@1.0.0',
      at: '1970-01-01T00:00:00.000Z',
    });
  });
});
