import { expect } from 'chai';
import { createOrb, type Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import { AttemptTimer, checked, deadlineOf, decidedByDeadline } from '../../../../plugins/runtime/dispatch/attempt.ts';
import { recordOrb } from '../../../helpers/recorder.ts';
import type { Outcome } from '../../../../kernel/provider/orb-hook.ts';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Ending } from '../../../../plugins/runtime/outcome/outcome.ts';
import type { Attempt } from '../../../../plugins/runtime/facts/facts.ts';
import { until } from '../../../helpers/until.ts';

const orbWith = (schema: object): Orb => {
  const faults: string[] = [];
  return createOrb(recordOrb(schema), faults) ?? expect.fail(faults.join());
};
const properties = { id: { type: 'string' }, n: { type: 'integer' } };
const strict = orbWith({ outputs_schema: { type: 'object', required: ['id'], properties } });
const accepted = (outputs: unknown): Outcome => ({ outcome: 'accepted', outputs: outputs as Record<string, unknown> });

describe('the outputs of a call', () => {
  it('are valid when they fit the schema of the Orb, and kept in canonical form', () => {
    const outcome = accepted({ n: 1, id: 'x' });
    expect(checked(outcome, strict)).to.deep.equal({ outcome, outputs: '{"id":"x","n":1}', checked: 'valid' });
  });

  it('are the provider’s failure when they break it: every place is named, and they are kept', () => {
    const { outcome, outputs, checked: word } = checked(accepted({ n: 'x', id: 1 }), strict);
    expect([outcome.outcome, outputs, word]).to.deep.equal(['invalid_outputs', '{"id":1,"n":"x"}', 'invalid']);
    expect(outcome).to.have.property('message').that.includes('/id: ').and.includes('/n: ').and.includes('; ');
  });

  for (const [what, outputs] of [
    ['a number that JSON has not', { id: 'x', more: NaN }],
    ['half of a pair', { id: '\ud800' }],
  ] as const)
    it(`are the provider’s failure, and not kept, with ${what}`, () => {
      const found = checked(accepted(outputs), strict);
      expect([found.outcome.outcome, found.checked]).to.deep.equal(['invalid_outputs', 'invalid']);
      expect(found).to.not.have.property('outputs');
    });

  it('are none of a call that failed', () => {
    const outcome = { outcome: 'unknown', message: 'm' } as const;
    expect(checked(outcome, strict)).to.deep.equal({ outcome, checked: 'unchecked' });
  });

  it('are not checked by an Orb whose schema accepts anything', () => {
    const outcome = accepted({ any: 'thing' });
    for (const outputs_schema of [true, {}])
      expect(checked(outcome, orbWith({ outputs_schema }))).to.deep.equal({
        ...{ outcome, outputs: '{"any":"thing"}', checked: 'absent' },
      });
  });
});

describe('the timer with one attempt', () => {
  it('is never over once the call has ended, even for those who ask for the signal later', async () => {
    const calls: readonly (() => Promise<Outcome | undefined>)[] = [
      () => Promise.resolve({ outcome: 'accepted', outputs: {} }),
      () => Promise.reject(new Error('no')),
    ];
    for (const call of calls) {
      const timer = new AttemptTimer(20, 'timeout');
      await timer.bound(call()).catch(() => undefined);
      await delay(40);
      expect([timer.ended, timer.over, timer.signal.aborted]).to.deep.equal([true, undefined, false]);
    }
  });

  it('is over after its time: the signal tells, whether it was asked for before or after', async () => {
    const [before, after] = [new AttemptTimer(20, 'timeout'), new AttemptTimer(20, 'timeout')];
    const { signal } = before;
    expect(signal.aborted).to.equal(false);
    await delay(40);
    expect([signal.aborted, after.signal.aborted, after.over, after.ended]).to.deep.equal([
      true,
      true,
      'timeout',
      false,
    ]);
  });

  it('counts from its beginning, however long the turn took in which it began', async () => {
    const timer = new AttemptTimer(60, 'timeout');
    for (const until = performance.now() + 50; performance.now() < until;);
    // The loop tells time by the beginning of a turn.
    await nextTurn();
    await delay(40);
    expect(timer.over).to.equal('timeout');
  });

  it('starts a timer for a call that outlasts the turn, and none for one that has ended by then', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    // Mocha starts the timer of a test once the test waits.
    await nextTurn();
    const before = timers();
    const lasting = new AttemptTimer(60_000, 'timeout');
    const answer = Promise.withResolvers<Outcome | undefined>();
    const bound = lasting.bound(answer.promise);
    await new AttemptTimer(60_000, 'timeout').bound(Promise.resolve(undefined));
    expect(timers() - before).to.equal(0);
    await nextTurn();
    expect(timers() - before).to.equal(1);
    answer.resolve(undefined);
    await bound;
    expect(timers() - before).to.equal(0);
  });

  it('is over once: the first reason stands, in the signal and in the answer', async () => {
    const timer = new AttemptTimer(60_000, 'timeout');
    const bound = timer.bound(new Promise(() => undefined));
    timer.end('drain');
    timer.end('deadline');
    expect(timer.over).to.equal('drain');
    expect(await bound).to.include({ outcome: 'unknown', phase: 'drain' });
  });

  it('believes what the adapter says within the grace', async () => {
    const timer = new AttemptTimer(60_000, 'timeout');
    const answer = Promise.withResolvers<Outcome | undefined>();
    const bound = timer.bound(answer.promise);
    timer.end('drain');
    answer.resolve({ outcome: 'not_sent', message: 'stopped' });
    expect(await bound).to.include({ outcome: 'not_sent' });
  });

  it('keeps no timer when it has been ended, and none after the answer', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await nextTurn();
    // Mocha's own; the graces of the tests before have to end first.
    const before = await until(timers, (count) => count <= 1, 'the timers', 20);
    const [silent, answering] = [new AttemptTimer(60_000, 'timeout'), new AttemptTimer(60_000, 'timeout')];
    const answer = Promise.withResolvers<Outcome | undefined>();
    const bound = [silent.bound(new Promise(() => undefined)), answering.bound(answer.promise)];
    await nextTurn();
    expect(timers() - before).to.equal(2);
    for (const timer of [silent, answering]) timer.end('drain');
    // The grace of each.
    expect(timers() - before).to.equal(2);
    answer.resolve(undefined);
    await bound[1];
    expect(timers() - before).to.equal(1);
    await bound[0];
    expect(timers() - before).to.equal(0);
  });
});

describe('the deadline of a run', () => {
  const time = { now: 0 };
  const clock = { now: () => time.now, monotonic: () => time.now };
  const deadline = (timeout_ms?: number) =>
    deadlineOf(
      { begun: 100, orb: { manifest: { timeout_ms: 50 } }, ...(timeout_ms === undefined ? {} : { timeout_ms }) },
      clock,
    );

  it("is the Orb's own, unless the caller's is shorter, and is never less than nothing", () => {
    time.now = 110;
    const kinds = [undefined, 50, 49, 60].map((timeout_ms) => deadline(timeout_ms));
    expect(kinds.map(({ callers, remaining }) => [callers, remaining()])).to.deep.equal([
      [false, 40],
      [false, 40],
      [true, 39],
      [false, 40],
    ]);
    time.now = 151;
    expect(deadline().remaining()).to.equal(0);
  });

  const attempt = (outcome: Attempt['outcome'], phase: string, lookup?: 'absent'): Attempt => ({
    ...{ provider: 'a', adapter: 'x/y', generation: 1, config_digest: 'sha256:0', latency_ms: 0, outcome, phase },
    ...(lookup === undefined ? {} : { lookup }),
  });
  const unknown: Ending = { status: 'indeterminate', outcome: 'unknown' };
  const rows: readonly (readonly [name: string, ending: Ending, attempts: readonly Attempt[], decided: boolean])[] = [
    ['a run that timed out', { status: 'timed_out', outcome: 'deadline' }, [], true],
    ['a silence at the deadline', unknown, [attempt('unknown', 'deadline')], true],
    ['two of them', unknown, [attempt('unknown', 'deadline'), attempt('unknown', 'deadline')], true],
    [
      'a silence at the deadline after another one',
      unknown,
      [attempt('unknown', 'data'), attempt('unknown', 'deadline')],
      false,
    ],
    ['a silence of another cause', unknown, [attempt('unknown', 'data')], false],
    [
      'a silence at the deadline after one whose absence was proven',
      unknown,
      [attempt('unknown', 'data', 'absent'), attempt('unknown', 'deadline')],
      true,
    ],
    ['an unknown without a silence', unknown, [attempt('not_sent', 'deadline')], false],
    [
      'a refusal after a silence at the deadline',
      { status: 'failed', outcome: 'rejected' },
      [attempt('unknown', 'deadline')],
      false,
    ],
  ];
  for (const [name, ending, attempts, decided] of rows)
    it(`${decided ? 'decided' : 'did not decide'} ${name}`, () => {
      expect(decidedByDeadline(ending, attempts)).to.equal(decided);
    });
});
