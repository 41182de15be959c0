import { createListeners } from '../../../../kernel/tools/listeners.ts';
import { expect } from 'chai';
import type { Reputation } from '../../../../plugins/ledger/contract.ts';
import { ListingIndex } from '../../../../plugins/marketplace/listing/listing-index.ts';
import type { Listing } from '../../../../plugins/marketplace/listing.ts';
import { entryOf, type Said } from './entries.ts';

const listing = (orb_id: string, said: Said = {}): Listing => entryOf(orb_id, said).listing;

/** An index of listings, and what it is told by the ledger. */
function create(...listings: readonly Listing[]) {
  return createAt({ day: '2026-11-20' }, listings);
}
function createAt(snapshot: { readonly day: string } | undefined, listings: readonly Listing[]) {
  const kept = [...listings];
  const listeners = new Set<{ readonly tell: () => void }>();
  let reads = 0;
  const listen = (tell: () => void) => {
    const listener = { tell };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const reputation = {
    onSnapshot: listen,
    onStanding: listen,
    get: (orbId: string) => entryOf(orbId).reputation,
    manifest: (orbId: string) => (orbId.startsWith('acme.') ? { signed: true } : undefined),
    snapshot: () => snapshot,
  } as unknown as Reputation;
  const read = {
    all: () => ((reads += 1), kept.map((one) => ({ ...one, readme: '' }))),
    find: (orbId: string) => kept.find(({ orb_id }) => orb_id === orbId),
    lastGrant: () => undefined,
  };
  const index = new ListingIndex(
    read,
    reputation,
    createListeners(() => undefined),
  );
  return { index, kept, listeners, reads: () => reads };
}
const latest = async ({ index }: ReturnType<typeof create>) =>
  [...(await index.now()).all.values()].filter((entry) => entry.latest).map((entry) => entry.listing.orb_id);

describe('the published versions in memory', () => {
  it('know the newest active version of each name', async () => {
    const world = create(
      ...[listing('a.a@1.0.0'), listing('a.a@1.10.0'), listing('a.a@1.9.0'), listing('a.a@2.0.0-rc.1')],
      ...[listing('a.b@1.0.0'), listing('a.b@2.0.0', { status: 'deprecated' }), listing('b.a@1.0.0')],
      listing('c.gone@1.0.0', { status: 'yanked' }),
    );
    expect(await latest(world)).to.deep.equal(['a.a@1.10.0', 'a.b@1.0.0', 'b.a@1.0.0']);
  });

  it('list what is active or deprecated, and names that have an active version', async () => {
    const { index } = create(
      ...[listing('a.a@1.0.0'), listing('a.b@1.0.0', { status: 'deprecated' })],
      ...[listing('a.c@1.0.0', { status: 'yanked' }), listing('a.d@1.0.0', { status: 'removed' })],
    );
    const { all, versions, names } = await index.now();
    expect(all).to.have.property('size', 4);
    expect(versions.map((entry) => entry.listing.orb_id)).to.deep.equal(['a.a@1.0.0', 'a.b@1.0.0']);
    expect(names.map(({ name }) => name)).to.deep.equal(['a.a']);
  });

  it('put what was published since the last snapshot at the end', async () => {
    const { index } = create(listing('a.a@1.0.0', { published_after: '2026-11-20' }), listing('b.b@1.0.0'));
    expect((await index.now()).versions.map((entry) => entry.listing.orb_id)).to.deep.equal(['b.b@1.0.0', 'a.a@1.0.0']);
  });

  it('are all new before the first snapshot: the order is that of time', async () => {
    const later = { published_at: '2026-11-02T00:00:00.000Z' };
    const { index } = createAt(undefined, [listing('a.a@1.0.0', later), listing('b.b@1.0.0')]);
    expect((await index.now()).versions.map((entry) => entry.listing.orb_id)).to.deep.equal(['b.b@1.0.0', 'a.a@1.0.0']);
  });

  it('are signed as the ledger says, else as they were published', async () => {
    const { index } = create(
      listing('acme.a@1.0.0'),
      listing('b.b@1.0.0', { manifest_signed: true }),
      listing('c.c@1.0.0'),
    );
    expect([...(await index.now()).all.values()].map(({ signed }) => signed)).to.deep.equal([true, true, false]);
  });

  it('are read once, and again after a change, a snapshot or a standing, until they are closed', async () => {
    const { index, listeners, reads } = create(listing('a.a@1.0.0'));
    await index.now();
    await index.now();
    expect(reads()).to.equal(1);
    index.changed();
    await index.now();
    expect(reads()).to.equal(2);
    expect(listeners).to.have.property('size', 2);
    for (const listener of listeners) {
      const before = reads();
      listener.tell();
      await index.now();
      expect(reads()).to.equal(before + 1);
    }
    index.close();
    expect(listeners).to.have.property('size', 0);
  });

  it('are found with their README, or not at all', async () => {
    const { index } = create(listing('a.a@1.0.0'));
    expect(await index.find('a.a@1.0.0')).to.deep.include({ latest: true, listing: listing('a.a@1.0.0') });
    expect(await index.find('a.a@2.0.0')).to.equal(undefined);
  });

  it('tell of a listing that is not there yet whether it would be the newest', async () => {
    const { index } = create(listing('a.a@1.5.0', { revision: 2 }), listing('b.b@9.0.0'));
    const now = await index.now();
    const would = (orbId: string, said: Said = {}) => index.entryOf(listing(orbId, said), now).latest;
    expect([would('a.a@2.0.0'), would('a.a@1.0.0'), would('c.c@1.0.0')]).to.deep.equal([true, false, true]);
    expect(would('a.a@2.0.0', { status: 'deprecated' })).to.equal(false);
    expect(would('a.a@1.5.0', { revision: 2, status: 'yanked' }), 'as it is').to.equal(true);
    expect(would('a.a@1.5.0', { revision: 3, status: 'yanked' }), 'as it will be').to.equal(false);
  });
});
