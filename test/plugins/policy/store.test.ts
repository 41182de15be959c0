import { expect } from 'chai';
import { firstIdAt, operation } from '../../../kernel/index.ts';
import type { OpenStore } from '../../../kernel/store/serving/store.ts';
import { forgetDecisions } from '../../../plugins/policy/decide/retention.ts';
import policyStore from '../../../plugins/policy/store.ts';
import notes from '../../helpers/stores/notes.ts';
import { notesModule, rejection, Stores, standingAt } from '../../helpers/stores/open.ts';
import { readsNow } from '../../helpers/reads.ts';

// A decision that shares nothing with others.
const unshared = { shared: '', shared_text: '{"input":{"context":{}}}' };

const day = 86_400_000;
const clock = { now: () => standingAt, monotonic: () => 0 };

function decided(at: number, number: number) {
  const decision_id = firstIdAt('dec', at).slice(0, -4) + String(number).padStart(4, '0');
  const about = { tenant: 'default', at: new Date(at).toISOString(), action: 'execute', allow: true };
  const rest = { orb_id: 'demo.echo@1.0.0', principal: 'prn_1', revision: null, run_id: null, receipt_id: null };
  return operation(policyStore, 'decide', { decision_id, ...about, ...rest, record: '{}', ...unshared });
}

function activated(digest: string, more: { readonly pending?: boolean } = {}) {
  const compiled = { data: {}, policies: [], entrypoints: {} };
  const what = { digest, files: [], compiled, wasm: new Uint8Array([1]), message: null, pending: false, ...more };
  return operation(policyStore, 'activate', { ...what, at: '2026-01-01T00:00:00.000Z', actor: 'folder' });
}

describe('the store of policies', () => {
  const stores = new Stores();
  let store: OpenStore;
  let reads: ReturnType<typeof policyStore.read>;
  beforeEach(async () => {
    store = await stores.open(stores.folder(), { modules: [{ module: policyStore }] });
    reads = readsNow(store, policyStore);
  });
  afterEach(() => stores.tidy());

  const kept = (): number => reads.decisions({ limit: 100_000 }).items.length;

  it('forgets decisions that are older than their days, and no other', async () => {
    const ages = [0, 1, 29, 30.5, 31, 400];
    await store.write(ages.map((age, index) => decided(standingAt - age * day, index)));
    expect(await forgetDecisions(store, clock, { days: 30, rows: 100 })).to.equal(3);
    const [newest, , oldest, ...more] = reads.decisions({ limit: 10 }).items;
    expect(more).to.deep.equal([]);
    expect([newest?.at, oldest?.at]).to.deep.equal(
      [0, 29].map((age) => new Date(standingAt - age * day).toISOString()),
    );
    expect(await forgetDecisions(store, clock, { days: 30, rows: 100 })).to.equal(0);
  });

  it('forgets the oldest decisions beyond their number', async () => {
    await store.write(Array.from({ length: 20 }, (_, index) => decided(standingAt - index, index)));
    expect(await forgetDecisions(store, clock, { days: 30, rows: 7 })).to.equal(13);
    expect(reads.decisions({ limit: 100 }).items.at(-1)?.at).to.equal(new Date(standingAt - 6).toISOString());
  });

  it('forgets many in several writes, so that runs can commit between them', async () => {
    for (let round = 0; round < 6; round += 1)
      await store.write(Array.from({ length: 1000 }, (_, index) => decided(standingAt - 40 * day - round, index)));
    await store.write([decided(standingAt, 1)]);
    expect(await forgetDecisions(store, clock, { days: 30, rows: 100 })).to.equal(6000);
    expect(kept()).to.equal(1);
  });

  it('finds the decisions of a value also when the first write of it failed', async () => {
    const one = decided(standingAt, 1);
    // A key that is NULL: the whole write fails.
    const failing = operation(policyStore, 'decide', { ...(one.args as object), decision_id: null } as never);
    const failed = await rejection(store.write([one, failing]));
    expect(failed).to.be.an.instanceOf(Error);
    await store.write([decided(standingAt, 2)]);
    await store.write([decided(standingAt + 1, 3)]);
    const found = reads.decisions({ limit: 10, orb_id: 'demo.echo@1.0.0', principal: 'prn_1', action: 'execute' });
    expect(found.items).to.have.length(2);
    for (const filter of [{ orb_id: 'none' }, { principal: 'none' }, { revision: 'none' }, { action: 'swap' }])
      expect(reads.decisions({ limit: 10, ...filter })).to.deep.equal({ items: [] });
  });

  it('finds the decisions of a value also when the first commit of it failed', async () => {
    const both = await stores.open(stores.folder(), { modules: [{ module: policyStore }, notesModule] });
    await both.write([operation(notes, 'failNextCommits', { times: 1 })]);
    await both.write([operation(notes, 'append', { id: 'n1', text: '' }), decided(standingAt, 1)]);
    const { decisions } = readsNow(both, policyStore);
    expect(decisions({ limit: 10, orb_id: 'demo.echo@1.0.0' }).items).to.have.length(1);
  });

  it('drops the drafts that were taken up, and none that was written again meanwhile', async () => {
    const draft = { id: 'one', source: 'a', tests: 't', updated_at: '2026-01-01T00:00:00.000Z', updated_by: 'prn_1' };
    const settle = async (taken: { readonly id: string; readonly source: string; readonly tests?: string }) => {
      await store.write([operation(policyStore, 'settle', { digest: 'sha256:1', drafts: [taken] })]);
      return reads.drafts().length;
    };
    await store.write([operation(policyStore, 'putDraft', { condition: {}, draft, renamed: [] })]);
    expect(await settle({ id: 'one', source: 'b', tests: 't' })).to.equal(1);
    expect(await settle({ id: 'one', source: 'a', tests: 'u' })).to.equal(1);
    expect(await settle({ id: 'one', source: 'a' })).to.equal(1);
    expect(await settle({ id: 'two', source: 'a', tests: 't' })).to.equal(1);
    expect(await settle({ id: 'one', source: 'a', tests: 't' })).to.equal(0);
  });

  it('keeps the last hundred revisions that were in force, and those alone', async () => {
    for (let number = 0; number < 120; number += 1) await store.write([activated(`sha256:${number}`)]);
    // One that comes back into force counts from then.
    await store.write([activated('sha256:21')]);
    for (let number = 120; number < 130; number += 1) await store.write([activated(`sha256:${number}`)]);
    expect(reads.revisions()).to.have.length(100);
    expect(reads.revision('sha256:29')).to.equal(undefined);
    for (const number of [21, 31, 129]) expect(reads.revision(`sha256:${number}`)?.digest).to.equal(`sha256:${number}`);
  });

  it('takes a revision that did not come into force back whole', async () => {
    await store.write([activated('sha256:1')]);
    await store.write([activated('sha256:2', { pending: true })]);
    await store.write([operation(policyStore, 'withdraw', { digest: 'sha256:2' })]);
    expect(reads.revisions().map(({ digest }) => digest)).to.deep.equal(['sha256:1']);
    expect(reads.activations(10).map(({ digest }) => digest)).to.deep.equal(['sha256:1']);
  });

  it('settles and withdraws the named revision alone', async () => {
    for (const digest of ['sha256:1', 'sha256:2', 'sha256:3'])
      await store.write([activated(digest, { pending: true })]);
    await store.write([operation(policyStore, 'withdraw', { digest: 'sha256:3' })]);
    await store.write([operation(policyStore, 'settle', { digest: 'sha256:2', drafts: [] })]);
    await store.write([operation(policyStore, 'withdraw', { digest: 'sha256:2' })]);
    expect(reads.activations(10).map(({ digest, pending }) => [digest, pending])).to.deep.equal([
      ['sha256:2', false],
      ['sha256:1', true],
    ]);
  });
});
