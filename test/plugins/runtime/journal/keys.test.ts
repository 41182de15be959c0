import { expect } from 'chai';
import { operation, PlatformError } from '../../../../kernel/index.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { IdempotencyKeys, KeyLost, type Claim } from '../../../../plugins/runtime/journal/keys.ts';
import { askingOf } from '../../../../plugins/runtime/journal/owner.ts';
import journalStore from '../../../../plugins/runtime/journal/store.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';

const day = 86_400_000;
const name = { principal: 'prn_1', method: 'POST', path: '/x', key: 'k' };

describe('a key of 24 hours ago', () => {
  const stores = new Stores();
  afterEach(() => stores.tidy());

  /** Begins work under a key, ends it as told, and presents the key again a day later. */
  async function dayAfter(answered: boolean): Promise<unknown> {
    const store = await stores.open(stores.folder(), { modules: [{ module: journalStore }] });
    const time = { now: 0 };
    const clock = { now: () => time.now, monotonic: () => time.now };
    const keys = new IdempotencyKeys({ store, clock, log: silentLog, check: () => true });
    try {
      const presented = await keys.present(name, {});
      if (!('claim' in presented)) return expect.fail('the key was known');
      const { claim } = presented;
      claim.begin('run_1');
      if (answered) await store.write(claim.finished({ body: {} }));
      else await claim.take();
      claim.release();
      time.now = day + 1;
      await store.write([operation(journalStore, 'eraseKeys', { now: time.now, most: 9 })]);
      return keys.present(name, {});
    } catch (error) {
      return error;
    } finally {
      keys.close();
    }
  }

  it('is free when its answer was known', async () => {
    expect(await dayAfter(true)).to.have.property('claim');
  });

  it('is not free while the outcome of its work is unknown: that ends with its run', async () => {
    expect(await dayAfter(false))
      .to.be.instanceOf(PlatformError)
      .and.include({ code: 'idempotency_in_progress' });
  });
});

describe('a key in use', () => {
  const stores = new Stores();
  const time = { now: 0 };
  let store: OpenStore;
  let keys: IdempotencyKeys;
  beforeEach(async () => {
    time.now = 0;
    store = await stores.open(stores.folder(), { modules: [{ module: journalStore }] });
    const clock = { now: () => time.now, monotonic: () => 0 };
    keys = new IdempotencyKeys({ store, clock, log: silentLog, check: () => true });
  });
  afterEach(async () => {
    keys.close();
    await stores.tidy();
  });

  const present = (more: object = {}, body: unknown = {}) => keys.present({ ...name, ...more }, body);
  // The store answers at once, so the keys do.
  const claim = (): Claim => {
    const presented = present();
    if (presented instanceof Promise || 'answer' in presented) return expect.fail('the key was known');
    return presented.claim;
  };

  for (const more of [{ principal: 'prn_2' }, { method: 'PUT' }, { path: '/y' }, { key: 'l' }])
    it(`is another one for another ${Object.keys(more).join()}`, () => {
      claim();
      expect(present(more)).to.have.property('claim');
    });

  it('that was lost to other work undoes what rides with the claim', async () => {
    const other = new IdempotencyKeys({
      store,
      clock: { now: () => 0, monotonic: () => 0 },
      log: silentLog,
      check: () => true,
    });
    const presented = await other.present(name, {});
    if ('answer' in presented) return expect.fail('the key was known');
    const [mine, others] = [claim(), presented.claim];
    mine.begin('run_1');
    others.begin('run_2');
    const intent = (run_id: string) => ({ run_id, fact: '{}', node: 'a', incarnation: 'before' });
    await others.take(intent('run_2'), [operation(journalStore, 'intend', intent('run_3'))]);
    const lost = await rejection(mine.take(intent('run_1'), [operation(journalStore, 'intend', intent('run_4'))]));
    expect(lost).to.be.instanceOf(KeyLost).and.have.nested.property('row.subject', 'run_2');
    const left = await store.reads(journalStore).openRuns(askingOf(store));
    expect(left.map(({ run_id }) => run_id)).to.deep.equal(['run_2', 'run_3']);
    other.close();
  });

  it('is told with the run that uses it, another body is refused, and it is free once released', () => {
    const used = claim();
    used.begin('run_1');
    expect(() => present())
      .to.throw(PlatformError)
      .and.deep.include({ code: 'idempotency_in_progress', extensions: { retry_after: 1, run_id: 'run_1' } });
    expect(() => present({}, { other: true }))
      .to.throw(PlatformError)
      .and.include({ code: 'idempotency_mismatch' });
    used.release();
    expect(present()).to.have.property('claim');
  });

  it('answers for 24 hours, and is free from then on, erased or not', async () => {
    const used = claim();
    used.begin('run_1');
    await store.write([...used.finished({ body: { done: true } })]);
    used.release();
    time.now = day - 1;
    expect(present()).to.deep.equal({ answer: { body: { done: true } }, subject: 'run_1' });
    time.now = day;
    expect(present()).to.have.property('claim');
  });

  it('is given back by work that sent nothing', async () => {
    const used = claim();
    await used.take();
    await store.write([...used.freed()]);
    used.release();
    expect(present()).to.have.property('claim');
  });

  it('is released when its work fails', async () => {
    const failing = keys.once(name, {}, () => Promise.reject(new Error('broken')));
    expect(await failing.catch((error: Error) => error.message)).to.equal('broken');
    expect(await keys.once(name, {}, async () => ({ done: true }))).to.deep.equal({ done: true });
  });
});
