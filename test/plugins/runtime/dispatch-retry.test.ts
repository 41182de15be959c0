import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import type { Slot } from '../../../plugins/runtime/provider/binding.ts';
import { attemptsOf, DispatchBed, type Script } from './dispatch-bed.ts';

const answers: Script = [() => ({ ok: true })];
const fails = (error: ProviderError): Script => [() => Promise.reject(error)];
const unsent = new ProviderError('not_sent', 'refused', { phase: 'connect' });
const broken = new ProviderError('unknown', 'the connection broke', { phase: 'data' });
const hangs: Script = [() => new Promise(() => undefined)];
const native = { kind: 'native', window_s: 1, max_len: 64 } as const;
const irreversible = { effect: 'irreversible', orbTimeoutMs: 60_000 } as const;

describe('a run that is dispatched', () => {
  let bed: DispatchBed;
  beforeEach(() => (bed = new DispatchBed()));

  const exhausted = ({ health }: Slot): void => {
    const outcome = { outcome: 'accepted', outputs: {} } as const;
    for (let n = 0; n < 10; n++) health.record(outcome, 1, { callers: false, repeated: true });
  };

  describe('repeats a call', () => {
    it('under the key of the provider only while the vendor remembers it, counted from the first call', async () => {
      const later: Script = [
        () => {
          bed.time.now += 600;
          return Promise.reject(broken);
        },
      ];
      const a = await bed.slot('a', later, { idempotency: native });
      const found = await bed.dispatch([a], irreversible);
      expect([found.ending.status, bed.calls]).to.deep.equal(['indeterminate', ['a', 'a']]);
    });

    it('within the budget of the provider', async () => {
      const [a, b] = [await bed.slot('a', fails(unsent)), await bed.slot('b', answers)];
      exhausted(a);
      await bed.dispatch([a, b]);
      expect(bed.calls).to.deep.equal(['a', 'b']);
    });

    it('of a provider that was not silent, whatever the one before it was', async () => {
      const [a, b] = [await bed.slot('a', fails(broken)), await bed.slot('b', [...fails(unsent), ...answers])];
      const found = await bed.dispatch([a, b], { ...irreversible, delivery: 'at_least_once' });
      expect([found.ending.status, bed.calls]).to.deep.equal(['completed', ['a', 'b', 'b']]);
    });

    it('and is not told of a drain by the signal of a call that has ended', async () => {
      let told: AbortSignal | undefined;
      const throttles: Script = [
        (signal) => {
          told = signal;
          return Promise.reject(new ProviderError('throttled', 'later', { retry_after: 0.05 }));
        },
      ];
      const [a, b] = [await bed.slot('a', throttles), await bed.slot('b', answers)];
      const run = bed.dispatch([a, b]);
      await bed.called(1);
      await nextTurn();
      const drained = a.generation?.drain(0);
      expect(attemptsOf(await run)).to.deep.equal([
        ['a', 'throttled', undefined],
        ['a', 'not_sent', 'drain'],
        ['b', 'accepted', undefined],
      ]);
      await drained;
      expect(told?.aborted).to.equal(false);
    });
  });

  describe('whose time is up', () => {
    it('timed out, and asks nobody else; the provider is to blame', async () => {
      const [a, b] = [await bed.slot('a', hangs), await bed.slot('b', answers)];
      const found = await bed.dispatch([a], { orbTimeoutMs: 30 });
      expect([found.ending.status, found.caller_deadline, bed.calls]).to.deep.equal(['timed_out', false, ['a']]);
      expect([a.health.errorRate(), b.generation?.in_flight]).to.deep.equal([1, 0]);
    });

    it("by the caller's own deadline says so, and blames nobody", async () => {
      const a = await bed.slot('a', hangs);
      const found = await bed.dispatch([a], { timeout_ms: 30 });
      expect([found.ending.status, found.caller_deadline]).to.deep.equal(['timed_out', true]);
      expect(a.health.errorRate()).to.equal(0);
    });

    it("later than the call of a provider that failed within the caller's own deadline: that provider is to blame", async () => {
      const a = await bed.slot('a', fails(broken));
      const found = await bed.dispatch([a], { effect: 'irreversible', timeout_ms: 900 });
      expect([found.ending.status, found.caller_deadline]).to.deep.equal(['indeterminate', false]);
      expect(a.health.errorRate()).to.equal(1);
    });
  });

  describe('waits for a silent provider', () => {
    const phases = async (order: Slot[], more: object = {}) =>
      attemptsOf(await bed.dispatch(order, { orbTimeoutMs: 60, ...more })).map(([name, , phase]) => [name, phase]);

    it('half of its time when another one is left', async () => {
      const order = [await bed.slot('a', hangs), await bed.slot('b', answers)];
      const found = await phases(order);
      expect([found[0], found.at(-1)]).to.deep.equal([
        ['a', 'timeout'],
        ['b', undefined],
      ]);
    });

    it('half of its time when another one is left and the caller takes the effect twice', async () => {
      const order = [await bed.slot('a', hangs), await bed.slot('b', answers)];
      expect(await phases(order, { effect: 'irreversible', delivery: 'at_least_once' })).to.deep.equal([
        ['a', 'timeout'],
        ['b', undefined],
      ]);
    });

    it('all of its time when nobody else may be asked', async () => {
      const order = [await bed.slot('a', hangs), await bed.slot('b', answers)];
      expect(await phases(order, { effect: 'irreversible' })).to.deep.equal([['a', 'deadline']]);
    });

    it('all of its time when there is nobody else', async () => {
      expect(await phases([await bed.slot('a', hangs)])).to.deep.equal([['a', 'deadline']]);
    });

    it('half of its time when the call may be repeated under its key, and all of it when its budget is used up', async () => {
      const keyed = async () => bed.slot('a', [...hangs, ...answers], { idempotency: native });
      expect(await phases([await keyed()], { effect: 'irreversible' })).to.deep.equal([
        ['a', 'timeout'],
        ['a', undefined],
      ]);
      const used = await keyed();
      exhausted(used);
      expect(await phases([used], { effect: 'irreversible' })).to.deep.equal([['a', 'deadline']]);
    });
  });

  describe('looks up what became of a silent call', () => {
    const lookedUp = (script: Script, lookup: () => Promise<{ ok: true } | undefined>) =>
      bed.slot('a', script, { idempotency: { kind: 'lookup' }, lookup: lookup as () => Promise<{ ok: true }> });

    it('also when no time is left: for a short grace', async () => {
      const late: Script = [
        () => {
          bed.time.now = 1000;
          return Promise.reject(broken);
        },
      ];
      const a = await lookedUp(late, async () => delay(20, { ok: true }));
      const found = await bed.dispatch([a], { effect: 'irreversible', orbTimeoutMs: 500 });
      expect([found.ending.status, found.outputs]).to.deep.equal(['completed', '{"ok":true}']);
      expect(found.attempts[0]).to.include({ outcome: 'accepted', lookup: 'present' });
    });

    it('and goes on when the provider proves that it has nothing', async () => {
      const a = await lookedUp(fails(broken), async () => undefined);
      const found = await bed.dispatch([a, await bed.slot('b', answers)], irreversible);
      expect([found.ending.status, bed.calls.at(-1)]).to.deep.equal(['completed', 'b']);
      expect(found.attempts[0]).to.include({ outcome: 'unknown', lookup: 'absent' });
    });

    it('and takes an absence for no proof while the call is under way', async () => {
      const a = await lookedUp(hangs, async () => undefined);
      const order = [a, await bed.slot('b', answers)];
      const found = await bed.dispatch(order, { effect: 'irreversible', orbTimeoutMs: 60 });
      expect([found.ending.status, bed.calls.includes('b')]).to.deep.equal(['indeterminate', false]);
      expect(found.attempts.some(({ lookup }) => lookup !== undefined)).to.equal(false);
    });
  });

  describe('is fenced', () => {
    const lease = { outcome: 'not_sent', phase: 'lease', message: 'cut off' } as const;

    it('after its intent and before the call: nothing is sent, and its intent is ended with it', async () => {
      const found = await bed.dispatch([await bed.slot('a', answers)], { ...irreversible, fence: () => lease });
      expect([found.ending.status, found.ending.code, bed.calls]).to.deep.equal(['failed', 'provider_unavailable', []]);
      expect([found.intended, attemptsOf(found)[0]]).to.deep.equal([true, ['a', 'not_sent', 'lease']]);
    });

    it('also when it has no effect, and goes on when the lease holds again', async () => {
      let asked = 0;
      const fence = () => (asked++ === 0 ? lease : undefined);
      const found = await bed.dispatch([await bed.slot('a', answers)], { fence });
      expect([found.ending.status, bed.calls]).to.deep.equal(['completed', ['a']]);
    });
  });
});
