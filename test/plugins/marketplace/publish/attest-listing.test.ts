import { expect } from 'chai';
import { attestListing } from '../../../../plugins/marketplace/publish/attest-listing.ts';
import type { MarketScope } from '../../../../plugins/marketplace/scope.ts';

function scopeWith(settled: () => Promise<void>) {
  const told: string[] = [];
  const scope = {
    clock: { now: () => 0 },
    platform: { attest: () => Promise.resolve({ receipt_id: 'rec_1' }), keepManifest: () => [] },
    listings: { changed: () => void told.push('changed'), entryOf: (listing: object) => listing },
    reputation: { settled },
    log: { warn: (_: object, text: string) => void told.push(text) },
  } as unknown as MarketScope;
  return { scope, told };
}

const attest = (scope: MarketScope) =>
  attestListing({ orb_id: 'a.b@1.0.0' } as never, { facts: {}, decision: {} } as never, scope);

describe('attesting a listing', () => {
  it('answers when the ledger knows of it, and has the lists made anew then', async () => {
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
});
