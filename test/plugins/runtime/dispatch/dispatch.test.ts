import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { dispatch, type DispatchOptions } from '../../../../plugins/runtime/dispatch/dispatch.ts';
import { platformRefusal } from '../../../../plugins/runtime/outcome/outcome.ts';
import { LimitedWaits } from '../../../../plugins/postgres/peers/limited-waits.ts';
import { attemptsOf, DispatchBed, type Script } from '../dispatch-bed.ts';

const answers: Script = [() => ({ ok: true })];
const fails = (error: ProviderError): Script => [() => Promise.reject(error)];
const unsent = new ProviderError('not_sent', 'refused', { phase: 'connect' });
const fault = new ProviderError('provider_fault', 'suspended');
const hangs: Script = [() => new Promise(() => undefined)];
/** Says, once it is told to settle, what the error says. */
const settles = (error: ProviderError): Script => [
  (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(error), { once: true })),
];

describe('dispatching a run', () => {
  let bed: DispatchBed;
  beforeEach(() => (bed = new DispatchBed()));

  describe('holds generations', () => {
    it('and gives back those that it took for a failover, so that their drain ends', async () => {
      const [a, b] = [await bed.slot('a', fails(fault)), await bed.slot('b', answers)];
      const found = await bed.dispatch([a, b]);
      expect([found.ending.status, bed.calls]).to.deep.equal(['completed', ['a', 'b']]);
      expect([a.generation?.in_flight, b.generation?.in_flight]).to.deep.equal([0, 0]);
    });

    it('and leaves the first one to the run, which it belongs to', async () => {
      const slot = await bed.slot('a', answers);
      const run = bed.run([slot]);
      await dispatch(run, bed.options());
      expect(slot.generation?.in_flight).to.equal(1);
    });

    it('one for all its calls at a provider', async () => {
      const [a, b] = [await bed.slot('a', fails(fault)), await bed.slot('b', fails(unsent))];
      const held: (number | undefined)[] = [];
      const intend = async () => void held.push(b.generation?.in_flight);
      await bed.dispatch([a, b], { effect: 'irreversible', intend });
      expect(held).to.deep.equal([0, 1, 1, 1]);
    });
  });

  describe('whose drain has lost its patience', () => {
    it('ends with a call that does not say what became of it, and asks nobody else', async () => {
      const [a, b] = [await bed.slot('a', hangs), await bed.slot('b', answers)];
      const run = bed.dispatch([a, b], { orbTimeoutMs: 60_000 });
      await bed.called(1);
      const drained = a.generation?.drain(0);
      const found = await run;
      await drained;
      expect([found.ending.status, attemptsOf(found)]).to.deep.equal(['failed', [['a', 'unknown', 'drain']]]);
    });

    it('goes on to the next provider when the call says that nothing was sent', async () => {
      const [a, b] = [await bed.slot('a', settles(unsent)), await bed.slot('b', answers)];
      const run = bed.dispatch([a, b], { effect: 'irreversible', orbTimeoutMs: 60_000 });
      await bed.called(1);
      const drained = a.generation?.drain(0);
      const found = await run;
      await drained;
      expect([found.ending.status, bed.calls]).to.deep.equal(['completed', ['a', 'b']]);
    });

    it('gives the place in front of the provider back when it does not begin there', async () => {
      const a = await bed.slot('a', answers, { limits: { concurrency: 1, length: 5 } });
      const run = bed.run([a]);
      const drained = a.generation?.drain(0);
      while (a.generation?.overdue !== true) await new Promise((resolve) => setImmediate(resolve));
      const found = await dispatch(run, bed.options());
      run.lease?.generation.release(run.lease);
      await drained;
      expect(attemptsOf(found)).to.deep.equal([['a', 'not_sent', 'drain']]);
      expect(await a.queue?.enter('default', 0)).to.equal(undefined);
    });
  });

  for (const effect of ['none', 'irreversible'] as const)
    it(`begins no call when its time was over before: effect ${effect}`, async () => {
      const [a, b] = [await bed.slot('a', answers), await bed.slot('b', answers)];
      bed.trip(a);
      bed.time.now = 2000;
      const late = async (): Promise<void> => void (bed.time.now += 1000);
      const fence = (): undefined => void (bed.time.now += effect === 'none' ? 1000 : 0);
      const found = await bed.dispatch([a, b], { effect, intend: late, fence });
      expect([found.ending.status, found.ending.code, bed.calls]).to.deep.equal(['timed_out', 'run_timed_out', []]);
      expect(attemptsOf(found)).to.deep.equal([['a', 'not_sent', 'deadline']]);
      expect(found.provider, 'counts for no provider').to.equal(undefined);
      expect(a.health.breaker.allow(), 'the only permit of its breaker').not.to.equal(undefined);
    });

  it('begins no call when the drain lost its patience while the intent was recorded', async () => {
    const [a, b] = [await bed.slot('a', answers), await bed.slot('b', answers)];
    let drained: Promise<number> | undefined;
    const intend = async (): Promise<void> => {
      drained ??= a.generation?.drain(0);
      while (a.generation?.overdue !== true) await new Promise((resolve) => setImmediate(resolve));
    };
    bed.trip(a);
    bed.time.now = 2000;
    const found = await bed.dispatch([a, b], { effect: 'irreversible', intend });
    await drained;
    expect([found.ending.status, bed.calls]).to.deep.equal(['completed', ['b']]);
    expect(attemptsOf(found)[0]).to.deep.equal(['a', 'not_sent', 'drain']);
    expect(a.health.breaker.allow()).not.to.equal(undefined);
  });

  describe('asks breakers', () => {
    it('and, when all refuse, calls the one that opens first, if the Orb has no effect', async () => {
      const [a, b] = [await bed.slot('a', answers), await bed.slot('b', answers)];
      bed.trip(a);
      a.health.record({ outcome: 'throttled', retry_after: 60, message: 'm' }, 1, { callers: false, repeated: false });
      bed.trip(b);
      const found = await bed.dispatch([a, b]);
      expect([found.ending.status, bed.calls]).to.deep.equal(['completed', ['b']]);
    });

    for (const effect of ['idempotent', 'reversible', 'irreversible'] as const)
      it(`and, when all refuse, calls nobody for the effect ${effect}`, async () => {
        const [a, b] = [await bed.slot('a', answers), await bed.slot('b', answers)];
        for (const slot of [a, b]) bed.trip(slot);
        const found = await bed.dispatch([a, b], { effect });
        expect([found.ending.code, bed.calls]).to.deep.equal(['provider_unavailable', []]);
        expect(attemptsOf(found)).to.deep.equal([
          ['a', 'not_sent', 'breaker'],
          ['b', 'not_sent', 'breaker'],
        ]);
      });

    it('and calls nobody against a breaker when another provider was asked', async () => {
      const [a, b] = [await bed.slot('a', answers), await bed.slot('b', fails(fault))];
      bed.trip(a);
      const found = await bed.dispatch([a, b]);
      expect([found.ending.code, bed.calls]).to.deep.equal(['provider_failed', ['b']]);
    });

    it('and gives the only permit of a half-open one back when its queue has no place', async () => {
      const a = await bed.slot('a', answers, { limits: { concurrency: 1, length: 0 } });
      bed.trip(a);
      bed.time.now = 2000;
      await a.queue?.enter('default', 0);
      const run = () => bed.dispatch([a], { effect: 'irreversible' });
      expect(attemptsOf(await run())).to.deep.equal([['a', 'not_sent', 'queue']]);
      a.queue?.leave();
      expect((await run()).ending.status).to.equal('completed');
    });

    it('and gives the only permit of a half-open one back when the intent could not be recorded', async () => {
      const a = await bed.slot('a', answers);
      bed.trip(a);
      bed.time.now = 2000;
      const intend = () => Promise.reject(new Error('the disk is full'));
      expect(attemptsOf(await bed.dispatch([a], { effect: 'irreversible', intend }))).to.deep.equal([
        ['a', 'not_sent', 'journal'],
      ]);
      expect((await bed.dispatch([a], { effect: 'irreversible' })).ending.status).to.equal('completed');
    });
  });

  describe('journals', () => {
    for (const effect of ['idempotent', 'reversible', 'irreversible'] as const)
      it(`an intent before each call with the effect ${effect}, with the attempts so far`, async () => {
        const [a, b] = [await bed.slot('a', fails(fault)), await bed.slot('b', answers)];
        await bed.dispatch([a, b], { effect });
        const said = bed.intents.map((attempts) => attempts.map(({ provider, phase }) => [provider, phase]));
        expect(said).to.deep.equal([
          [['a', 'interrupted']],
          [
            ['a', undefined],
            ['b', 'interrupted'],
          ],
        ]);
      });

    it('nothing for an Orb without an effect', async () => {
      await bed.dispatch([await bed.slot('a', answers)]);
      expect([bed.intents, bed.calls]).to.deep.equal([[], ['a']]);
    });

    it('before it sends: what cannot be recorded is sent to nobody', async () => {
      const [a, b] = [await bed.slot('a', answers), await bed.slot('b', answers)];
      const intend = () => Promise.reject(new Error('the disk is full'));
      const found = await bed.dispatch([a, b], { effect: 'reversible', intend });
      expect([found.ending.code, bed.calls]).to.deep.equal(['storage_unavailable', []]);
      expect(found.provider, 'counts for no provider').to.equal(undefined);
    });

    it('sends nothing more when a later attempt cannot be recorded while the database is away', async () => {
      const [a, b] = [await bed.slot('a', fails(fault)), await bed.slot('b', answers)];
      const waits = new LimitedWaits(0);
      let attempts = 0;
      // The second one waits for the database.
      const intend = () => (++attempts === 1 ? Promise.resolve() : (waits.away(), new Promise<void>(() => undefined)));
      const found = await bed.dispatch([a, b], { effect: 'reversible', intend, waits });
      waits.back();
      expect([found.ending.code, bed.calls, found.intended]).to.deep.equal(['storage_unavailable', ['a'], true]);
    });
  });

  describe('of a node whose lease may be over', () => {
    const lost = () => platformRefusal('lease', 'this node has no connection to the database; nothing was sent');

    for (const effect of ['none', 'irreversible'] as const)
      it(`sends nothing, and counts for no provider: effect ${effect}`, async () => {
        const [a, b] = [await bed.slot('a', answers), await bed.slot('b', answers)];
        const found = await bed.dispatch([a, b], { effect, fence: lost });
        expect(found.ending).to.include({ status: 'failed', outcome: 'not_sent', code: 'storage_unavailable' });
        expect(found.ending).to.include({ reason: 'storage_unavailable', retry_after: 1 });
        expect(bed.calls).to.deep.equal([]);
        expect(attemptsOf(found)[0]).to.deep.equal(['a', 'not_sent', 'lease']);
        expect(found.attempts.some(({ provider }) => provider === 'b')).to.equal(false);
        expect(found.provider).to.equal(undefined);
      });

    it('goes on when it has its lease again', async () => {
      const answered = [lost(), undefined];
      const a = await bed.slot('a', answers);
      const found = await bed.dispatch([a], { effect: 'irreversible', fence: () => answered.shift() });
      expect([found.ending.status, found.provider?.name, bed.calls]).to.deep.equal(['completed', 'a', ['a']]);
    });

    it('counts for the provider that was asked before, and may have done it', async () => {
      const [a, b] = [await bed.slot('a', fails(fault)), await bed.slot('b', answers)];
      const answered = [undefined];
      const fence = () => (answered.length > 0 ? answered.shift() : lost());
      const found = await bed.dispatch([a, b], { effect: 'irreversible', fence });
      expect([found.provider?.name, found.ending.code, bed.calls]).to.deep.equal(['a', 'storage_unavailable', ['a']]);
    });

    it('is no lease of the platform when an adapter says so', async () => {
      const own = new ProviderError('not_sent', 'no lease', { phase: 'lease' });
      const found = await bed.dispatch([await bed.slot('a', fails(own))]);
      expect([found.ending.code, found.provider?.name]).to.deep.equal(['provider_unavailable', 'a']);
    });
  });

  describe('waits in queues', () => {
    it('and gives its place back, whatever the call came to', async () => {
      const a = await bed.slot('a', [...fails(fault), ...answers], { limits: { concurrency: 1, length: 0 } });
      expect((await bed.dispatch([a])).ending.code).to.equal('provider_failed');
      expect((await bed.dispatch([a])).ending.status).to.equal('completed');
      expect(await a.queue?.enter('default', 0)).to.equal(undefined);
    });

    it('until its deadline, and then asks nobody else', async () => {
      const a = await bed.slot('a', answers, { limits: { concurrency: 1, length: 5 } });
      await a.queue?.enter('default', 0);
      const found = await bed.dispatch([a, await bed.slot('b', answers)], { orbTimeoutMs: 20 });
      expect([found.ending.status, bed.calls]).to.deep.equal(['timed_out', []]);
    });
  });

  it('counts no first call of a run as a repeated one', async () => {
    const slot = await bed.slot('a', answers);
    for (let n = 0; n < 11; n++) await bed.dispatch([slot]);
    expect(slot.health.mayRepeat()).to.equal(true);
  });

  it('counts the time of a vendor’s key from the first call, whatever the clock says', async () => {
    bed.time.now = 1_000_000_000;
    const silent = new ProviderError('unknown', 'no answer', { phase: 'data' });
    const script: Script = [() => Promise.reject(silent), ...answers];
    const slot = await bed.slot('a', script, { idempotency: { kind: 'native', window_s: 60, max_len: 64 } });
    const found = await bed.dispatch([slot], { effect: 'irreversible' });
    expect([found.ending.status, bed.calls]).to.deep.equal(['completed', ['a', 'a']]);
  });

  it('intends with the provider that was bound', async () => {
    const slot = await bed.slot('a', answers);
    const intended: unknown[] = [];
    const intend: DispatchOptions['intend'] = async (_, { provider }) => void intended.push(provider);
    const found = await bed.dispatch([slot], { effect: 'irreversible', intend });
    expect(intended).to.deep.equal([{ name: 'a', generation: 1, health: 'unknown' }]);
    expect(found.provider).to.equal(intended[0]);
  });
});
