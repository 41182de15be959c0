import { expect } from 'chai';
import { operation, PlatformError, type Store } from '../../../../kernel/index.ts';
import { IdempotencyKeys, type Claim } from '../../../../plugins/runtime/journal/keys.ts';
import { RepeatGuard } from '../../../../plugins/runtime/journal/repeats.ts';
import journalStore from '../../../../plugins/runtime/journal/store.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { Stores } from '../../../helpers/stores/open.ts';
import { until } from '../../../helpers/until.ts';
import type { Repeat } from '../../../../plugins/runtime/journal/repeat.ts';

const clock = { now: () => Date.now(), monotonic: () => 0 };
const call = { principal: 'prn_1', orbiset_id: 'default', inputs: { token: 'x' } };
const silent: Repeat = { name: 'send', carrier: () => undefined };

interface Work {
  readonly claim: Claim;
  readonly end: (how: 'finished' | 'freed' | 'refused') => Promise<void>;
}

describe('a call without a key that is repeated at another kernel', function () {
  const stores = new Stores();
  const closing: (() => void)[] = [];
  let real: OpenStore;
  let runs = 0;
  /** The work of each kernel, in the order in which it began. */
  let begun: string[];
  /** Reads answer "free" as long as this is set: they came before the other one's claim. */
  let early: boolean;

  beforeEach(async () => {
    [begun, early] = [[], false];
    real = await stores.open(stores.folder(), { modules: [{ module: journalStore }] });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) close();
    await stores.tidy();
  });

  function guardOf(node: string, repeat: Repeat = silent, afterDeliveryMs = 20) {
    const { findKey, ...rest } = real.reads(journalStore);
    const find = async (name: Parameters<typeof findKey>[0]) => (early ? undefined : findKey(name));
    const store: Store = {
      ...real,
      ...{ node: { name: node, incarnation: '1' }, shared: true },
      reads: (() => ({ ...rest, findKey: find })) as unknown as Store['reads'],
    };
    const options = { store, clock, log: silentLog, check: () => true, afterDeliveryMs };
    const keys = new IdempotencyKeys(options);
    const guard = new RepeatGuard({ ...options, keys });
    closing.push(
      () => guard.close(),
      () => keys.close(),
    );
    const works: Work[] = [];
    const run = () =>
      guard.run(call, repeat, async (claim) => {
        const run_id = `run_${++runs}`;
        claim.begin(run_id);
        await claim.take({ run_id, fact: '{}', node, incarnation: '1' });
        begun.push(node);
        const { promise, resolve } = Promise.withResolvers<'finished' | 'freed' | 'refused'>();
        const over = Promise.withResolvers<void>();
        works.push({ claim, end: async (how) => (resolve(how), over.promise) });
        const how = await promise;
        const answer = { by: node };
        const kept = claim.finished({ body: answer });
        if (how !== 'refused') await store.write(how === 'freed' ? claim.freed() : kept);
        over.resolve();
        if (how === 'refused') throw new PlatformError('storage_unavailable', 'the result could not be recorded');
        if (how === 'freed') throw new PlatformError('provider_unavailable', 'nothing was sent');
        return answer;
      });
    const working = () =>
      until(
        () => works[0],
        (work) => work !== undefined,
        `${node} works`,
      );
    const note = (inputs: object): void => guard.noteCall({ ...call, inputs }, 'look');
    return { run, note, working };
  }

  for (const lost of [false, true])
    it(`waits for the first one and gets its answer${lost ? ', when both found the key free' : ''}`, async () => {
      const [a, b] = [guardOf('A'), guardOf('B')];
      const first = a.run();
      const work = await a.working();
      early = lost;
      const second = b.run();
      // Its claim is lost, or it found the claim: either way it asks again.
      early = false;
      await work?.end('finished');
      expect(await first).to.deep.equal({ answer: { by: 'A' }, replayed: false });
      expect(await second).to.deep.equal({ answer: { by: 'A' }, replayed: true });
      expect(begun).to.deep.equal(['A']);
    });

  it('does the work itself once the first one has sent nothing', async () => {
    const [a, b] = [guardOf('A'), guardOf('B')];
    const first = a.run().catch((error: PlatformError) => error.code);
    const work = await a.working();
    const second = b.run();
    await work?.end('freed');
    expect(await first).to.equal('provider_unavailable');
    await (await b.working())?.end('finished');
    expect(await second).to.deep.equal({ answer: { by: 'B' }, replayed: false });
    expect(begun).to.deep.equal(['A', 'B']);
  });

  it('is a new one once the caller has made a call without a guard, at whatever kernel', async () => {
    const whole: Repeat = {
      name: 'send',
      carrier: () => (callback) => callback({ whole: true, renewed: () => false }),
    };
    const [a, b, c] = [guardOf('A', whole, 60_000), guardOf('B', whole, 60_000), guardOf('C', whole, 60_000)];
    const first = a.run();
    await (await a.working())?.end('finished');
    await first;
    expect(await c.run()).to.deep.equal({ answer: { by: 'A' }, replayed: true });
    b.note({ other: true });
    // Committed after the writes before it.
    await real.write([operation(journalStore, 'eraseKeys', { now: 0, most: 1 })]);
    const again = c.run();
    await (await c.working())?.end('finished');
    expect(await again).to.deep.equal({ answer: { by: 'C' }, replayed: false });
  });

  it('keeps its key while what became of it is not recorded, although its answer has arrived', async () => {
    const told: Repeat = { name: 'send', carrier: () => (callback) => callback({ whole: true, renewed: () => true }) };
    const a = guardOf('A', told);
    const first = a.run().catch((error: PlatformError) => error.code);
    const work = (await a.working()) ?? expect.fail('no work');
    await work.end('refused');
    expect(await first).to.equal('storage_unavailable');
    // Longer than a key stays after its answer has arrived.
    const later = () => new Promise((resolve) => setTimeout(resolve, 100));
    await later();
    const again = a.run();
    await later();
    expect(begun).to.deep.equal(['A']);
    await real.write(work.claim.finished({ body: { by: 'A, recorded later' } }));
    expect(await again).to.deep.equal({ answer: { by: 'A, recorded later' }, replayed: true });
  });
});

describe('a call without a key whose answer was handed over whole', function () {
  const stores = new Stores();
  let store: OpenStore;
  let close: () => void;
  let begun: string[];
  let run: (
    text: string,
    more?: { readonly abandoned?: () => boolean; readonly before?: Promise<void>; readonly after?: Promise<void> },
  ) => Promise<unknown>;
  let note: (text: string) => void;
  before(async () => void (store = await stores.open(stores.folder(), { modules: [{ module: journalStore }] })));
  after(() => stores.tidy());
  afterEach(() => close());

  function start(afterDeliveryMs: number): void {
    begun = [];
    const options = { store, clock, log: silentLog, check: () => true, afterDeliveryMs };
    const keys = new IdempotencyKeys(options);
    const guard = new RepeatGuard({ ...options, keys });
    close = () => {
      guard.close();
      keys.close();
    };
    // Behind a proxy: no connection shows that the client has the answer.
    const whole: Repeat = {
      name: 'send',
      carrier: () => (callback) => callback({ whole: true, renewed: () => false }),
    };
    const callOf = (text: string) => ({ principal: 'prn_1', orbiset_id: 'default', inputs: { text } });
    note = (text) => guard.noteCall(callOf(text), 'send');
    run = (text, { abandoned, before: joined, after: held } = {}) =>
      guard.run({ ...callOf(text), abandoned }, whole, async (claim, gone) => {
        const run_id = `run_${text}_${begun.push(text)}`;
        claim.begin(run_id);
        if (joined !== undefined) await joined;
        if (gone()) {
          await held;
          throw new PlatformError('run_cancelled', 'the caller has gone');
        }
        await claim.take({ run_id, fact: '{}', node: 'a', incarnation: '1' });
        await store.write(claim.finished({ body: { run_id } }));
        return { run_id };
      });
  }
  const times = (text: string): number => begun.filter((one) => one === text).length;

  it('is a new one some time after the first delivery, however often it was repeated meanwhile', async () => {
    start(300);
    // Each repetition comes long before the time after the one before is over.
    await until(
      async () => {
        await run('often');
        return times('often');
      },
      (count) => count === 3,
      'the third call',
    );
  });

  it('is a new one once the caller has made another call', async () => {
    start(60_000);
    for (const text of ['a', 'a', 'b', 'a', 'a', 'b']) await run(text);
    expect(begun).to.deep.equal(['a', 'b', 'a', 'b']);
    // The same call with a key is no other call; one that is not guarded itself is.
    note('b');
    await run('b');
    expect(times('b')).to.equal(2);
    note('a');
    await run('b');
    expect(times('b')).to.equal(3);
  });

  it('goes on while one of its callers is there, though another one has gone', async () => {
    start(60_000);
    const { promise: joined, resolve: join } = Promise.withResolvers<void>();
    const first = run('shared', { abandoned: () => true, before: joined });
    const second = run('shared', { abandoned: () => false });
    join();
    expect(await first).to.deep.include({ replayed: false });
    expect(await second).to.deep.include({ replayed: true });
    expect(times('shared')).to.equal(1);
  });

  it('is begun again for a caller who comes right after the others gave it up', async () => {
    start(60_000);
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    const first = run('left', { abandoned: () => true, after: held }).catch((error: PlatformError) => error.code);
    const second = run('left');
    end();
    expect(await first).to.equal('run_cancelled');
    expect(await second).to.have.property('replayed', false);
    expect(times('left')).to.equal(2);
  });
});
