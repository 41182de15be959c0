import { expect } from 'chai';
import { operation } from '../../../../kernel/index.ts';
import journalStore, { type KeyName } from '../../../../kernel/runtime/journal/store.ts';
import type { OpenStore } from '../../../../kernel/store/store.ts';
import { Stores } from '../../../helpers/stores/open.ts';

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
  });
  const take = (key: KeyName, expires_at?: number) =>
    store.write([operation(journalStore, 'claimKey', claimOf(key, expires_at))]);
  const finish = (key: KeyName, expires_at?: number) =>
    store.write([operation(journalStore, 'finishKey', { ...claimOf(key, expires_at), answer: '{}' })]);
  const has = (key: KeyName) => store.reads(journalStore).findKey(key) !== undefined;

  for (const more of [{ principal: 'prn_2' }, { method: 'PUT' }, { path: '/y' }, { key: 'l' }]) {
    const other = { ...name, ...more };
    it(`has another key for another ${Object.keys(more).join()}`, async () => {
      await take(name);
      expect([has(name), has(other)]).to.deep.equal([true, false]);
    });

    it(`gives back one key, not that of another ${Object.keys(more).join()}`, async () => {
      await take(name);
      await take(other);
      await store.write([operation(journalStore, 'freeKey', name)]);
      expect([has(name), has(other)]).to.deep.equal([false, true]);
    });
  }

  it('erases a key at the end of its time, not before, and none without an answer', async () => {
    const [early, late, open] = [name, { ...name, key: 'late' }, { ...name, key: 'open' }];
    await finish(early, 1000);
    await finish(late, 1001);
    await take(open, 1000);
    const erased = (now: number) => store.write([operation(journalStore, 'eraseKeys', { now })]);
    expect(await erased(999)).to.deep.equal([0]);
    expect(await erased(1000)).to.deep.equal([1]);
    expect([early, late, open].map(has)).to.deep.equal([false, true, true]);
  });

  it('lists the keys whose work is not over', async () => {
    await take(name);
    await take({ ...name, key: 'open' });
    await finish(name);
    const open = store.reads(journalStore).openKeys();
    expect(open.map(({ key }) => key)).to.deep.equal(['open']);
  });

  it('holds the latest intent of each run, oldest run first, until that run is closed', async () => {
    const intend = (run_id: string, fact: string) => store.write([operation(journalStore, 'intend', { run_id, fact })]);
    for (const run_id of ['run_3', 'run_1', 'run_2']) await intend(run_id, 'first');
    await intend('run_3', 'second');
    await store.write([operation(journalStore, 'closeRun', { run_id: 'run_2' })]);
    const said = store
      .reads(journalStore)
      .openRuns()
      .map(({ run_id, fact }) => [run_id, Buffer.from(store.sealer.open('inputs', fact)).toString()]);
    expect(said).to.deep.equal([
      ['run_1', 'first'],
      ['run_3', 'second'],
    ]);
  });
});
