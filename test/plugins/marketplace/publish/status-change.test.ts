import { expect } from 'chai';
import type { Principal } from '../../../../kernel/index.ts';
import type { Listing } from '../../../../plugins/marketplace/listing.ts';
import type { MarketScope } from '../../../../plugins/marketplace/scope.ts';
import { storeAlone } from '../alone.ts';
import { changeStatus, type StatusBody } from '../../../../plugins/marketplace/publish/status-change.ts';
import { createSerial } from '../../../../kernel/index.ts';

const published: Listing = {
  ...{ orb_id: 'acme.tool@1.0.0', namespace: 'acme', name: 'tool', version: '1.0.0', title: 'Tool' },
  ...{ description: 'Works.', readme: '# Tool', category: 'tools', tags: ['a'], homepage: 'https://acme.example' },
  ...{ manifest_digest: 'sha256:0', manifest_signed: true, status: 'active', receipt_id: 'rec_0', revision: 1 },
  ...{ published_at: 'day 1', updated_at: 'day 1', listed_at: 'day 1', published_after: '', listed_after: '' },
};
const operator: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'acme', mode: 'live', scopes: ['*'] };

interface Attesting {
  readonly fact: { readonly facts: unknown };
  operations(id: string): readonly { args: Listing }[];
}

/** A listing that is changed on one day after the other; `attested` counts the receipts. */
function createLife() {
  const state = { listing: published, day: 1, attested: 0 };
  let [said, signed]: [unknown, boolean | undefined] = [undefined, undefined];
  let followed = false;
  const parts = {
    listings: {
      find: (orbId: string) => (orbId === published.orb_id ? { listing: state.listing } : undefined),
      changed: () => undefined,
      now: () => ({}),
      entryOf: (listing: Listing) => listing,
    },
    reputation: {
      settled: () => Promise.resolve((followed = true)),
      // Before the ledger has followed the log nothing is known of the grant.
      namespace: () => (followed ? { namespace: 'acme', state: 'granted', owner: { tenant: 'acme' } } : undefined),
      manifest: () => (signed === undefined ? undefined : { signed }),
      snapshot: () => ({ day: `snapshot ${state.day}` }),
    },
    platform: {
      keepManifest: () => [],
      attest: ({ fact, operations }: Attesting) => {
        state.attested += 1;
        said = fact.facts;
        for (const { args } of operations(`rec_${state.attested}`)) state.listing = args;
        return Promise.resolve({ receipt_id: `rec_${state.attested}` });
      },
    },
    clock: { now: () => Date.UTC(2026, 10, state.day), monotonic: () => 0 },
    serial: createSerial(),
    store: storeAlone,
  };
  const scope = { ...parts, runtime: parts.platform } as unknown as MarketScope;
  const change = async (body: StatusBody, by = operator, verifies?: boolean): Promise<Listing> => {
    state.day += 1;
    signed = verifies;
    await changeStatus(published.orb_id, body, by, scope);
    return state.listing;
  };
  return { scope, state, change, facts: () => said };
}

const deprecated = { status: 'deprecated', reason: 'Old.' } as const;

describe('a change of a listing', () => {
  it('keeps the day on which it ended being active, whatever comes after', async () => {
    const { change } = createLife();
    expect(await change(deprecated)).to.include({
      ended_after: 'snapshot 2',
      status_message: 'Old.',
      readme: '# Tool',
    });
    const again = await change({ ...deprecated, reason: 'Older.' });
    expect(again).to.include({ ended_after: 'snapshot 2', status_message: 'Older.' });
    expect((await change({ status: 'yanked', reason: 'Broken.' })).ended_after).to.equal('snapshot 2');
  });

  it('begins a new time on the lists when it becomes active again, and takes back what was said of its end', async () => {
    const { change } = createLife();
    await change({ ...deprecated, replacement: 'acme.tool@2.0.0' });
    const listing = await change({ status: 'active', reason: 'Needed.' });
    expect(listing).to.include({
      ...{ status: 'active', listed_at: '2026-11-03T00:00:00.000Z', listed_after: 'snapshot 3', published_at: 'day 1' },
      ...{ updated_at: '2026-11-03T00:00:00.000Z', revision: 3, manifest_signed: true },
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
    expect(listing).to.include({
      status: 'removed',
      readme: '',
      title: 'Removed',
      status_message: 'malware: Steals keys.',
    });
    expect(listing).not.to.have.any.keys('homepage', 'license');
  });

  const refusal = (change: Promise<unknown>): Promise<readonly unknown[]> =>
    change.then(
      () => ['changed'],
      ({
        code,
        extensions: { errors = [] } = {},
      }: {
        code: string;
        extensions?: { errors?: { pointer: string }[] };
      }) => [code, ...errors.map(({ pointer }) => pointer)],
    );

  it('is for good once it was yanked or removed, except that the operator removes what was yanked', async () => {
    const removed = { status: 'removed', reason: 'x', cause: 'legal' } as const;
    for (const [first, rows] of [
      [
        { status: 'yanked', reason: 'x' },
        [
          ['active', 'listing_final'],
          ['deprecated', 'listing_final'],
          ['yanked', 'changed'],
        ],
      ],
      [
        removed,
        [
          ['active', 'listing_final'],
          ['deprecated', 'listing_final'],
          ['yanked', 'listing_final'],
        ],
      ],
    ] as const)
      for (const [status, code] of rows) {
        const { change } = createLife();
        await change(first);
        expect(await refusal(change({ status, reason: 'y' })), `${first.status} to ${status}`).to.deep.equal([code]);
        expect(await refusal(change(removed))).to.deep.equal(['changed']);
      }
  });

  it('names a cause with a removal, and with nothing else', async () => {
    const { change } = createLife();
    expect(await refusal(change({ status: 'removed', reason: 'x' }))).to.deep.equal(['listing_invalid', '#/cause']);
    expect(await refusal(change({ status: 'yanked', reason: 'x', cause: 'legal' }))).to.deep.equal([
      ...['listing_invalid', '#/cause'],
    ]);
  });

  it('of another tenant is refused, and a removal by anybody but the operator', async () => {
    const { change } = createLife();
    const removed = { status: 'removed', reason: 'x', cause: 'legal' } as const;
    const publisher = { ...operator, scopes: ['marketplace:publish'] };
    expect(await refusal(change(removed, publisher))).to.deep.equal(['insufficient_scope']);
    expect(await refusal(change(deprecated, { ...publisher, tenant: 'other' }))).to.deep.equal(['access_denied']);
    expect(await refusal(change(deprecated, publisher))).to.deep.equal(['changed']);
  });

  it('is attested with what it says: the manifest only of what becomes active', async () => {
    const { change, facts } = createLife();
    await change(deprecated);
    expect(facts()).to.deep.equal({ change: 'deprecated', reason: 'Old.', principal: 'prn_1' });
    const listing = await change({ status: 'active', reason: 'Needed.' }, operator, false);
    expect(listing.manifest_signed).to.equal(false);
    expect(facts()).to.deep.equal({
      ...{ change: 'published', reason: 'Needed.', principal: 'prn_1' },
      ...{ manifest_digest: 'sha256:0', manifest_signed: false },
    });
    await change({ status: 'removed', reason: 'Steals keys.', cause: 'malware' });
    expect(facts()).to.include({ change: 'removed', reason: 'malware: Steals keys.' });
  });

  it('is refused of what was never published', async () => {
    const { scope } = createLife();
    const change = changeStatus('acme.tool@2.0.0', deprecated, operator, scope);
    expect(await refusal(change)).to.deep.equal(['listing_not_found']);
  });

  it('to what it is already is none: active, whatever the reason', async () => {
    const { change, state } = createLife();
    await change({ status: 'active', reason: 'Fine.' });
    expect(state).to.include({ attested: 0, listing: published });
  });
});
