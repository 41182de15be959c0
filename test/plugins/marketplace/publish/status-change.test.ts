import { expect } from 'chai';
import type { Principal } from '../../../../kernel/index.ts';
import type { Listing } from '../../../../plugins/marketplace/listing/listing.ts';
import type { MarketScope } from '../../../../plugins/marketplace/scope.ts';
import { changeStatus, type StatusBody } from '../../../../plugins/marketplace/publish/status-change.ts';
import { createSerial } from '../../../../kernel/index.ts';

const published: Listing = {
  ...{ orb_id: 'acme.tool@1.0.0', namespace: 'acme', name: 'tool', version: '1.0.0', title: 'Tool' },
  ...{ description: 'Works.', readme: '# Tool', category: 'tools', tags: ['a'], homepage: 'https://acme.example' },
  ...{ manifest_digest: 'sha256:0', manifest_signed: true, status: 'active', receipt_id: 'rec_0', revision: 1 },
  ...{ published_at: 'day 1', updated_at: 'day 1', listed_at: 'day 1', published_after: '', listed_after: '' },
};
const operator: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'acme', mode: 'live', scopes: ['*'] };

/** A listing that is changed on one day after the other; `attested` counts the receipts. */
function createLife() {
  const state = { listing: published, day: 1, attested: 0 };
  const scope = {
    listings: {
      find: () => ({ listing: state.listing }),
      changed: () => undefined,
      entryOf: (listing: Listing) => listing,
    },
    reputation: {
      settled: () => Promise.resolve(),
      namespace: () => ({ namespace: 'acme', state: 'granted', owner: { tenant: 'acme' } }),
      manifest: () => undefined,
      snapshot: () => ({ day: `snapshot ${state.day}` }),
    },
    platform: {
      keepManifest: () => [],
      attest: ({ operations }: { operations: (id: string) => readonly { args: Listing }[] }) => {
        state.attested += 1;
        for (const { args } of operations(`rec_${state.attested}`)) state.listing = args;
        return Promise.resolve({ receipt_id: `rec_${state.attested}` });
      },
    },
    clock: { now: () => Date.UTC(2026, 10, state.day), monotonic: () => 0 },
    serial: createSerial(),
  } as unknown as MarketScope;
  const change = async (body: StatusBody): Promise<Listing> => {
    state.day += 1;
    await changeStatus(published.orb_id, body, operator, scope);
    return state.listing;
  };
  return { state, change };
}

const deprecated = { status: 'deprecated', reason: 'Old.' } as const;

describe('a change of a listing', () => {
  it('keeps the day on which it ended being active, whatever comes after', async () => {
    const { change } = createLife();
    expect((await change(deprecated)).ended_after).to.equal('snapshot 2');
    expect((await change({ ...deprecated, reason: 'Older.' })).ended_after).to.equal('snapshot 2');
    expect((await change({ status: 'yanked', reason: 'Broken.' })).ended_after).to.equal('snapshot 2');
  });

  it('begins a new time on the lists when it becomes active again, and takes back what was said of its end', async () => {
    const { change } = createLife();
    await change({ ...deprecated, replacement: 'acme.tool@2.0.0' });
    const listing = await change({ status: 'active', reason: 'Needed.' });
    expect(listing).to.include({
      ...{ status: 'active', listed_at: '2026-11-03T00:00:00.000Z', listed_after: 'snapshot 3', published_at: 'day 1' },
      ...{ updated_at: '2026-11-03T00:00:00.000Z', revision: 3 },
    });
    expect(listing).not.to.have.any.keys('status_message', 'replacement', 'ended_after');
  });

  it('is one when the reason or the replacement is another, and none when nothing is', async () => {
    const { change, state } = createLife();
    await change(deprecated);
    await change(deprecated);
    expect(state.attested).to.equal(1);
    expect((await change({ ...deprecated, replacement: 'acme.tool@2.0.0' })).replacement).to.equal('acme.tool@2.0.0');
    expect((await change({ ...deprecated, replacement: 'acme.tool@3.0.0' })).replacement).to.equal('acme.tool@3.0.0');
    expect(await change({ ...deprecated, reason: 'Older.' })).not.to.have.property('replacement');
    expect(state.attested).to.equal(4);
  });

  it('names a replacement with a deprecation only, and never itself', async () => {
    const { change, state } = createLife();
    for (const body of [
      { status: 'yanked', reason: 'x', replacement: 'acme.tool@2.0.0' },
      { status: 'active', reason: 'x', replacement: 'acme.tool@2.0.0' },
      { ...deprecated, replacement: published.orb_id },
    ] as const) {
      const { code, errors } = await change(body).then(
        () => ({ code: 'changed', errors: [] }),
        (error: { code: string; extensions: { errors: readonly { pointer: string }[] } }) => ({
          code: error.code,
          errors: error.extensions.errors,
        }),
      );
      expect([code, errors[0]?.pointer]).to.deep.equal(['listing_invalid', '#/replacement']);
    }
    expect(state.attested).to.equal(0);
  });

  it('removes what was yanked, with all that its publisher said', async () => {
    const { change } = createLife();
    await change({ status: 'yanked', reason: 'Broken.' });
    const listing = await change({ status: 'removed', reason: 'Steals keys.', cause: 'malware' });
    expect(listing).to.include({ status: 'removed', readme: '', status_message: 'malware: Steals keys.' });
    expect(listing).not.to.have.any.keys('homepage', 'license');
  });
});
