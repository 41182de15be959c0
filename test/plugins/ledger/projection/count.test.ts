import { expect } from 'chai';
import type { ResolutionLine, RunLine, SwapLine } from '../../../../plugins/ledger/fact/line.ts';
import { countResolution, countRun, countSwap } from '../../../../plugins/ledger/projection/count.ts';
import { Summing, type Sums } from '../../../../plugins/ledger/projection/tallies.ts';

const at = '2026-11-20T10:00:00.000Z';
const head = { origin: 'o', index: 0, receipt_id: 'rec_1', signed_by: 'k', orb_id: 'acme.tool@1.0.0' };
const resolution = (more: Partial<ResolutionLine> = {}): ResolutionLine => ({
  ...{ ...head, kind: 'resolution', at, mode: 'live', is_self: false, caller_ref: 'c1', resolves: 'rec_0' },
  ...{ outcome: 'sent', outcome_class: 'ok', supersedes: 'orb_fault', finished_at: at },
  ...more,
});
type Changed = Partial<Pick<RunLine, 'outcome_class' | 'outcome' | 'caller_deadline' | 'mode' | 'latency_ok'>>;
const run = (more: Changed = {}): RunLine => ({
  ...{ ...head, kind: 'run', mode: 'live', is_self: false, caller_ref: 'c1', outcome: 'accepted' },
  ...{
    outcome_class: 'ok',
    finished_at: at,
    execution_ms: 1,
    caller_deadline: false,
    codes: [],
    bound: true,
    latency_ok: false,
    manifest_signed: true,
  },
  ...more,
});
/** What was counted, cells of nothing left out. */
function counted(count: (sink: Summing) => void): Sums {
  const sink = new Summing();
  count(sink);
  return sink.take();
}
const nothing: Sums = { callerDays: [], minutes: [], days: [] };

describe('what an entry counts', () => {
  const cells = (line: RunLine) => {
    const { callerDays, minutes, days } = counted((sink) => countRun(line, sink));
    const rows = callerDays.map(({ ok, fault, broken, fast, slow }) => [ok, fault, broken, fast, slow]);
    return [rows[0], minutes.map(({ provider, n, fault }) => [provider, n, fault])[0], days.length];
  };

  it('is of a run whether it was good, broken, fast or slow', () => {
    const fault = { outcome_class: 'orb_fault' } as const;
    const { latency_ok: _, ...unmeasured } = run();
    const rows: readonly (readonly [RunLine, readonly number[]])[] = [
      [run({ latency_ok: true }), [1, 0, 0, 1, 0]],
      [run({ latency_ok: false }), [1, 0, 0, 0, 1]],
      [unmeasured, [1, 0, 0, 0, 0]],
      [{ ...unmeasured, ...fault, outcome: 'unknown' }, [0, 1, 0, 0, 0]],
      [{ ...unmeasured, ...fault, outcome: 'invalid_outputs' }, [0, 1, 1, 0, 0]],
    ];
    for (const [line, row] of rows) expect(cells(line)).to.deep.equal([row, ['', 1, row[1]], 0]);
    expect(cells({ ...run(), provider: 'p' })[1]).to.deep.equal(['p', 1, 0]);
  });

  it('is of a resolution the move from one class to the other, and nothing when that is the same', () => {
    const moved = (more: Partial<ResolutionLine>) => {
      const { callerDays, days } = counted((sink) => countResolution(resolution(more), sink));
      return [callerDays.map(({ ok, fault }) => [ok, fault]), days.map(({ n }) => n)];
    };
    expect(moved({})).to.deep.equal([[[1, -1]], [1]]);
    expect(moved({ outcome_class: 'orb_fault', supersedes: 'ok' })).to.deep.equal([[[-1, 1]], [-1]]);
    expect(moved({ outcome_class: 'orb_fault', supersedes: 'platform_fault' })).to.deep.equal([[[0, 1]], []]);
    expect(moved({ outcome_class: 'ok', supersedes: 'platform_fault' })).to.deep.equal([[[1, 0]], [1]]);
    for (const same of ['ok', 'orb_fault', 'caller_fault'] as const)
      expect(moved({ outcome_class: same, supersedes: same })).to.deep.equal([[], []]);
  });

  it('is nothing for a resolution of a run that does not count: sandbox, self, or of no known caller', () => {
    const { callerDays, days } = counted((sink) => countResolution(resolution(), sink));
    expect(callerDays).to.have.length(1);
    expect(callerDays[0]).to.include({ ok: 1, fault: -1 });
    expect(days).to.deep.include({ orb_id: head.orb_id, day: days[0]?.day, name: 'resolved_ok', n: 1 });
    const { caller_ref: _, ...unattributed } = resolution();
    for (const line of [resolution({ mode: 'sandbox' }), resolution({ is_self: true }), unattributed])
      expect(counted((sink) => countResolution(line, sink))).to.deep.equal(nothing);
  });

  it('is taken back exactly by its opposite', () => {
    const { callerDays, minutes } = counted((sink) => {
      for (const sign of [1, -1] as const) {
        countRun(run({ outcome_class: 'orb_fault', outcome: 'invalid_outputs' }), sink, sign);
        countResolution(resolution(), sink, sign);
      }
    });
    for (const cell of callerDays) expect(cell).to.include({ ok: 0, fault: 0, broken: 0, fast: 0, slow: 0 });
    for (const cell of minutes) expect(cell).to.include({ n: 0, fault: 0 });
  });

  it("tells of the caller's deadline beside the caller's fault, and of no other", () => {
    const names = (more: Changed) =>
      counted((sink) => countRun(run({ outcome_class: 'caller_fault', ...more }), sink)).days.map(({ name }) => name);
    expect(names({})).to.deep.equal(['caller_fault']);
    expect(names({ caller_deadline: true })).to.deep.equal(['caller_fault', 'caller_deadline']);
    expect(names({ caller_deadline: true, mode: 'sandbox' })).to.deep.equal(['sandbox']);
  });

  it('is a swap that took place, and none that failed', () => {
    const swap = (state: SwapLine['state']): SwapLine => ({ ...head, kind: 'swap', at, from: 'a', to: 'b', state });
    expect(counted((sink) => countSwap(swap('completed'), sink)).days).to.have.length(1);
    expect(counted((sink) => countSwap(swap('failed'), sink))).to.deep.equal(nothing);
  });
});
