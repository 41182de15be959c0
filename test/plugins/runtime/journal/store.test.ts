import { expect } from 'chai';
import { operation } from '../../../../kernel/index.ts';
import type { Asking } from '../../../../plugins/runtime/journal/owner.ts';
import { eraseKeys } from '../../../../plugins/runtime/journal/retention.ts';
import journalStore, { type Intent, type KeyClaim, type KeyName } from '../../../../plugins/runtime/journal/store.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';
import { readsNow } from '../../../helpers/reads.ts';

const self = { node: 'eins', incarnation: '1' };
// A later start of the same node.
const later = { node: { name: 'eins', incarnation: '2' }, shared: false };
const name = { principal: 'prn_1', method: 'POST', path: '/x', key: 'k' };

describe('the journal', () => {
  const stores = new Stores();
  let store: OpenStore;
  beforeEach(async () => {
    store = await stores.open(stores.folder(), { modules: [{ module: journalStore }] });
  });
  afterEach(() => stores.tidy());

  const claimOf = (key: KeyName, expires_at = 1000) => ({
    ...key,
    fingerprint: 'sha256:1',
    subject: 'run_1',
    expires_at,
    ...self,
  });
  const take = (key: KeyName, expires_at?: number) =>
    store.write([operation(journalStore, 'claimKey', { claim: claimOf(key, expires_at), now: 0 })]);
  const finish = (key: KeyName, expires_at?: number) =>
    store.write([operation(journalStore, 'finishKey', { ...claimOf(key, expires_at), now: 0, answer: '{}' })]);
  const has = (key: KeyName) => readsNow(store, journalStore).findKey(key) !== undefined;

  for (const more of [{ principal: 'prn_2' }, { method: 'PUT' }, { path: '/y' }, { key: 'l' }]) {
    const other = { ...name, ...more };
    it(`has another key for another ${Object.keys(more).join()}`, async () => {
      await take(name);
      expect([has(name), has(other)]).to.deep.equal([true, false]);
    });

    it(`gives back one key, not that of another ${Object.keys(more).join()}`, async () => {
      await take(name);
      await take(other);
      await store.write([operation(journalStore, 'freeKey', { ...name, subject: 'run_1' })]);
      expect([has(name), has(other)]).to.deep.equal([false, true]);
    });
  }

  it('erases a key at the end of its time, not before, and none without an answer', async () => {
    const [early, late, open] = [name, { ...name, key: 'late' }, { ...name, key: 'open' }];
    await finish(early, 1000);
    await finish(late, 1001);
    await take(open, 1000);
    const erased = (now: number) => store.write([operation(journalStore, 'eraseKeys', { now, most: 9 })]);
    expect(await erased(999)).to.deep.equal([0]);
    expect(await erased(1000)).to.deep.equal([1]);
    expect([early, late, open].map(has)).to.deep.equal([false, true, true]);
  });

  it('erases no more keys in one write than asked, the oldest first, until none is due', async () => {
    const keys = [3, 1, 2].map((at) => ({ ...name, key: `k${at}` }));
    for (const key of keys) await finish(key, Number(key.key.slice(1)));
    expect(await store.write([operation(journalStore, 'eraseKeys', { now: 9, most: 2 })])).to.deep.equal([2]);
    expect(keys.map(has)).to.deep.equal([true, false, false]);
    const many = Array.from({ length: 5001 }, (_, index) => ({ ...claimOf({ ...name, key: `m${index}` }), now: 0 }));
    await store.write(many.map((key) => operation(journalStore, 'finishKey', { ...key, answer: '{}' })));
    expect(await eraseKeys(store, 1000)).to.equal(5002);
  });

  it('lists the keys whose work is not over', async () => {
    await take(name);
    await take({ ...name, key: 'open' });
    await finish(name);
    const open = readsNow(store, journalStore).openKeys(later);
    expect(open.map(({ key }) => key)).to.deep.equal(['open']);
  });

  it('holds the latest intent of each run, oldest run first, until that run is closed', async () => {
    for (const run_id of ['run_3', 'run_1', 'run_2'])
      await store.write([operation(journalStore, 'intend', { run_id, fact: 'first', ...self })]);
    await store.write([operation(journalStore, 'renewIntent', { run_id: 'run_3', fact: 'second' })]);
    await store.write([operation(journalStore, 'closeRun', { run_id: 'run_2' })]);
    const said = readsNow(store, journalStore)
      .openRuns(later)
      .map(({ run_id, fact }) => [run_id, Buffer.from(store.sealer.open('inputs', fact)).toString()]);
    expect(said).to.deep.equal([
      ['run_1', 'first'],
      ['run_3', 'second'],
    ]);
  });

  describe('a key that two runs claim', () => {
    const claimBy = (run_id: string, { now = 0, stale = '' } = {}) => {
      const claim = { ...claimOf(name, now + 10), subject: run_id };
      return operation(journalStore, 'claimRun', { claim, now, stale, intent: { run_id, fact: '{}', ...self } });
    };
    const claim = async (...of: Parameters<typeof claimBy>) => (await store.write([claimBy(...of)]))[0];
    const answer = (subject: string, now = 0) => ({ ...claimOf(name, now + 10), subject, now, answer: '{}' });
    const open = () =>
      readsNow(store, journalStore)
        .openRuns(later)
        .map(({ run_id }) => run_id);
    const holder = () => readsNow(store, journalStore).findKey(name)?.subject;

    it('is the first one’s, in one batch too; the second one learns of it and leaves nothing', async () => {
      const [first, second] = await Promise.all([store.write([claimBy('run_A')]), store.write([claimBy('run_B')])]);
      expect(first).to.deep.equal([undefined]);
      expect(second[0]).to.include({ subject: 'run_A', answer: null });
      expect([holder(), open()]).to.deep.equal(['run_A', ['run_A']]);
    });

    it('is taken over when its answer has expired or counts no more, and not while it has none', async () => {
      await claim('run_A');
      expect(await claim('run_B', { now: 99, stale: 'run_A' })).to.include({ subject: 'run_A' });
      await store.write([operation(journalStore, 'finishKey', answer('run_A'))]);
      expect(await claim('run_B', { now: 9 })).to.include({ subject: 'run_A' });
      expect(await claim('run_B', { now: 10 })).to.equal(undefined);
      await store.write([operation(journalStore, 'finishKey', answer('run_B', 10))]);
      expect(await claim('run_C', { now: 10, stale: 'run_A' })).to.include({ subject: 'run_B' });
      expect(await claim('run_C', { now: 10, stale: 'run_B' })).to.equal(undefined);
      expect([holder(), open()]).to.deep.equal(['run_C', ['run_A', 'run_B', 'run_C']]);
    });

    it('gets no answer of a run that has lost it, and is not freed by it', async () => {
      await claim('run_A');
      const finished = store.write([operation(journalStore, 'finishKey', answer('run_B'))]);
      expect(await rejection(finished)).to.include({ code: 'storage_unavailable' });
      await store.write([operation(journalStore, 'freeKey', { ...name, subject: 'run_B' })]);
      expect(readsNow(store, journalStore).findKey(name)).to.include({ subject: 'run_A', answer: null });
    });
  });

  it('lets a run be settled once: the second one’s write fails whole, and no further intent is taken', async () => {
    const other = { ...name, key: 'other' };
    await store.write([operation(journalStore, 'intend', { run_id: 'run_1', fact: '{}', ...self })]);
    const settle = (key: KeyName) =>
      store.write([
        operation(journalStore, 'claimKey', { claim: claimOf(key), now: 0 }),
        operation(journalStore, 'closeRun', { run_id: 'run_1' }),
      ]);
    const [first, second] = await Promise.allSettled([settle(name), settle(other)]);
    expect([first.status, second.status, has(name), has(other)]).to.deep.equal(['fulfilled', 'rejected', true, false]);
    const again = store.write([operation(journalStore, 'renewIntent', { run_id: 'run_1', fact: '{}' })]);
    expect(await rejection(again)).to.include({ code: 'storage_unavailable' });
  });

  const asked: readonly { readonly asking: Asking; readonly is: readonly string[] }[] = [
    { asking: { node: { name: 'eins', incarnation: '2' }, shared: true }, is: ['eins 1', 'nobody'] },
    { asking: { node: { name: 'eins', incarnation: '1' }, shared: true }, is: ['nobody'] },
    { asking: { node: { name: 'zwei', incarnation: '9' }, shared: true }, is: ['nobody', 'zwei 1'] },
    { asking: { node: { name: 'drei', incarnation: '1' }, shared: true }, is: ['nobody'] },
    { asking: { node: { name: 'drei', incarnation: '2' }, shared: false }, is: ['eins 1', 'nobody', 'zwei 1'] },
    { asking: { node: { name: 'eins', incarnation: '1' }, shared: false }, is: ['nobody'] },
  ];
  for (const { asking, is } of asked)
    it(`says what ${asking.node.name} ${asking.node.incarnation} left${asking.shared ? ' among others' : ''}`, async () => {
      const left = [
        ['eins 1', { node: 'eins', incarnation: '1' }],
        ['zwei 1', { node: 'zwei', incarnation: '1' }],
        ['nobody', { node: null, incarnation: null }],
      ] as const;
      for (const [subject, owner] of left) {
        const claim = { ...claimOf({ ...name, key: subject }), subject, ...owner } as KeyClaim;
        const intent = { run_id: subject, fact: '{}', ...owner } as Intent;
        await store.write([operation(journalStore, 'claimRun', { claim, intent, now: 0 })]);
      }
      const { openRuns, openKeys } = readsNow(store, journalStore);
      expect(openRuns(asking).map(({ run_id }) => run_id)).to.deep.equal(is);
      expect(openKeys(asking).map(({ subject }) => subject)).to.deep.equal(is);
    });
});
