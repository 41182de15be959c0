import { expect } from 'chai';
import { askedOf } from '../../../../plugins/runtime/queue/execute-route.ts';
import { timesOf } from '../../../../plugins/runtime/queue/request.ts';
import { backoffMs, Control, mayWaitAgain } from '../../../../plugins/runtime/queue/turn.ts';
import { Lines } from '../../../../plugins/runtime/queue/lines.ts';
import type { ClaimedRow } from '../../../../plugins/runtime/queue/store.ts';

describe('the lines of waiting runs', () => {
  const row = (tenant: string, orbiset_id: string, run_id: string) => ({ tenant, orbiset_id, run_id }) as ClaimedRow;
  const filled = (bound: number, rows: readonly ClaimedRow[]): Lines => {
    const lines = new Lines(() => bound);
    for (const { tenant, orbiset_id } of rows) lines.note(tenant, orbiset_id, 0);
    lines.add({ rows, next: [] });
    return lines;
  };
  const taken = (lines: Lines, count: number) => Array.from({ length: count }, () => lines.take()?.run_id);

  it('serve the tenants in turn, and the Orbisets of one in turn', () => {
    const many = ['1', '2', '3', '4'].map((id) => row('big', 'x', `x${id}`));
    const lines = filled(8, [...many, row('big', 'y', 'y1'), row('small', 'z', 'z1')]);
    expect(taken(lines, 7)).to.deep.equal(['x1', 'z1', 'y1', 'x2', 'x3', 'x4', undefined]);
  });

  it('let no more runs of an Orbiset begin than may be under way', () => {
    const lines = filled(
      2,
      ['1', '2', '3'].map((id) => row('t', 'x', id)),
    );
    expect(taken(lines, 3)).to.deep.equal(['1', '2', undefined]);
    lines.end(row('t', 'x', '1'));
    expect(taken(lines, 1)).to.deep.equal(['3']);
  });

  it('wish for due runs alone, and share a claim between tenants', () => {
    const lines = new Lines(() => 8);
    lines.note('a', 'x', 100);
    lines.note('b', 'y', 50);
    expect([lines.nextDue(), lines.wishes(49, 64)]).to.deep.equal([50, []]);
    expect(lines.wishes(50, 64)).to.deep.equal([{ orbiset_id: 'y', limit: 64 }]);
    expect(lines.wishes(100, 10)).to.deep.equal([
      { orbiset_id: 'x', limit: 5 },
      { orbiset_id: 'y', limit: 5 },
    ]);
    lines.add({ rows: [], next: [{ orbiset_id: 'y', due_at: undefined }] });
    expect(lines.nextDue()).to.equal(100);
  });

  it('give a run up that has not begun', () => {
    const lines = filled(1, [row('t', 'x', '1'), row('t', 'x', '2')]);
    expect(taken(lines, 1)).to.deep.equal(['1']);
    expect([lines.holds('2'), lines.withdraw('2')?.run_id, lines.withdraw('1'), lines.holds('2')]).to.deep.equal([
      ...[true, '2'],
      ...[undefined, false],
    ]);
  });
});

describe('the wait after a turn that could not be served', () => {
  for (const [turns, retryAfter, jitter, ms] of [
    [0, undefined, 1, 1000],
    [0, undefined, 0, 500],
    [3, undefined, 1, 8000],
    [30, undefined, 1, 300_000],
    [0, 5, 1, 1000],
    [0, 42, 1, 42_000],
    [0, 3600, 0, 3_600_000],
  ] as const)
    it(`is ${ms} ms after ${turns} turns${retryAfter === undefined ? '' : ` and a provider that asked for ${retryAfter} s`}`, () =>
      expect(backoffMs(turns, retryAfter, jitter)).to.equal(ms));

  const ending = (code?: string) => ({ status: 'failed', outcome: 'x', code }) as never;
  for (const [code, outcomes, again] of [
    ['provider_unavailable', ['not_sent', 'throttled'], true],
    ['no_provider_allowed', [], true],
    ['policy_unavailable', [], true],
    ['run_timed_out', ['not_sent'], true],
    ['run_timed_out', ['unknown'], false],
    ['provider_unavailable', ['unknown', 'not_sent'], false],
    ['provider_rejected', ['rejected'], false],
    ['outcome_unknown', ['unknown'], false],
    ['access_denied', [], false],
    ['provider_failed', ['provider_fault'], false],
    [undefined, ['accepted'], false],
  ] as const)
    it(`${again ? 'comes' : 'does not come'} after ${code ?? 'a completed run'} with ${outcomes.join(', ') || 'no attempt'}`, () => {
      const attempts = outcomes.map((outcome) => ({ outcome })) as never;
      expect(mayWaitAgain({ ending: ending(code), attempts })).to.equal(again);
    });
});

describe('the preference of a caller', () => {
  for (const [header, mode, expected] of [
    [undefined, undefined, undefined],
    ['wait=5', undefined, undefined],
    ['respond-async', undefined, [0, 'respond-async']],
    ['Respond-Async; x=1, WAIT="5"', undefined, [5000, 'respond-async, wait=5']],
    ['respond-async, wait=900', undefined, [60_000, 'respond-async, wait=60']],
    ['respond-async, wait=soon', undefined, [0, 'respond-async']],
    [undefined, 'async', [0, 'respond-async']],
  ] as const)
    it(`is read from ${String(header)} and ${String(mode)}`, () => {
      const asked = askedOf(header, mode === undefined ? {} : { mode });
      expect(asked && [asked.waitMs, asked.applied]).to.deep.equal(expected);
    });

  it('counts the time that a run may wait from its own time', () => {
    const asked = { waitMs: 0, applied: '', run_at: '2026-01-01T01:00:00Z', expires_in_s: 60 };
    const now = Date.parse('2026-01-01T00:00:00Z');
    const { run_at, expires_at } = timesOf(asked, now);
    expect([run_at - now, expires_at - run_at]).to.deep.equal([3_600_000, 60_000]);
    expect(timesOf(asked, run_at + 5).run_at, 'a time that has passed').to.equal(run_at + 5);
  });
});

describe('the control of a run', () => {
  for (const [effect, outcome, stops] of [
    ['irreversible', undefined, 'dispatched'],
    ['irreversible', 'not_sent', 'stopped'],
    ['irreversible', 'unknown', 'dispatched'],
    ['none', undefined, 'stopped'],
  ] as const)
    it(`of effect ${effect} ${stops === 'stopped' ? 'stops' : 'does not stop'} it ${outcome === undefined ? 'in a call' : `after ${outcome}`}`, () => {
      const control = new Control(effect);
      let aborted = false;
      control.begin(() => (aborted = true));
      if (outcome !== undefined) control.end(outcome);
      const stopped = stops === 'stopped';
      expect([control.stop(), control.stopped, aborted]).to.deep.equal([
        stops,
        stopped,
        stopped && outcome === undefined,
      ]);
    });

  it('stops no run that goes back into the queue, and lets none go back that it stopped', () => {
    const [back, ended] = [new Control('irreversible'), new Control('irreversible')];
    expect([back.leave(), back.stop(), back.stopped]).to.deep.equal([true, 'left', false]);
    expect([ended.stop(), ended.leave(), ended.stopped]).to.deep.equal(['stopped', false, true]);
  });
});
