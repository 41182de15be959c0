import { expect } from 'chai';
import type { OutcomeClass, RunLine } from '../../../plugins/ledger/fact/line.ts';
import { classOf, disagreement, latencyOf } from '../../../plugins/ledger/fact/outcome-class.ts';
import { readLine } from '../../../plugins/ledger/fact/line.ts';
import { Projection } from '../../../plugins/ledger/projection/projection.ts';
import { stateOf } from '../../../plugins/ledger/projection/state.ts';
import { MemoryTallies, Summing } from '../../../plugins/ledger/projection/tallies.ts';
import { runPredicate, startDay, syntheticLog } from './synthetic-log.ts';

const run: RunLine = {
  kind: 'run',
  origin: 'o',
  index: 0,
  receipt_id: 'rec_1',
  signed_by: 'k',
  orb_id: 'notify.email@1.0.0',
  mode: 'live',
  finished_at: '2026-01-01T12:00:00.000Z',
  outcome_class: 'ok',
  is_self: false,
  caller_ref: 'c',
  latency_ok: true,
  manifest_signed: true,
  provider: 'a',
  execution_ms: 2000,
  outcome: 'accepted',
  caller_deadline: false,
  codes: [],
  bound: true,
  objective_ms: 2000,
};

const { latency_ok: _, ...unmeasured } = run;
const rows: readonly { readonly name: string; readonly facts: Partial<RunLine>; readonly want: OutcomeClass }[] = [
  { name: 'accepted', facts: {}, want: 'ok' },
  { name: 'rejected', facts: { outcome: 'rejected' }, want: 'caller_fault' },
  { name: 'cancelled', facts: { outcome: 'cancelled' }, want: 'caller_fault' },
  { name: "the caller's deadline", facts: { outcome: 'deadline', caller_deadline: true }, want: 'caller_fault' },
  { name: 'unknown by it', facts: { outcome: 'unknown', caller_deadline: true }, want: 'caller_fault' },
  { name: "the manifest's deadline", facts: { outcome: 'deadline' }, want: 'orb_fault' },
  { name: 'a deadline before bind', facts: { outcome: 'deadline', bound: false }, want: 'platform_fault' },
  { name: 'denied by a policy', facts: { outcome: 'denied', codes: ['policy_denied'] }, want: 'policy_denied' },
  { name: 'denied, the engine failing', facts: { outcome: 'denied', codes: ['policy_error'] }, want: 'platform_fault' },
  { name: 'denied, by both', facts: { outcome: 'denied', codes: ['x', 'policy_timeout'] }, want: 'platform_fault' },
  { name: 'an empty order', facts: { outcome: 'not_sent', bound: false }, want: 'platform_fault' },
  { name: 'a provider that would not open', facts: { outcome: 'not_sent' }, want: 'orb_fault' },
  { name: 'throttled', facts: { outcome: 'throttled' }, want: 'orb_fault' },
  { name: 'a fault of the provider', facts: { outcome: 'provider_fault' }, want: 'orb_fault' },
  { name: 'unknown', facts: { outcome: 'unknown' }, want: 'orb_fault' },
  { name: 'outputs that break the schema', facts: { outcome: 'invalid_outputs' }, want: 'orb_fault' },
];

describe('how a run counts', () => {
  for (const { name, facts, want } of rows)
    it(`${name}: ${want}`, () => {
      const line: RunLine = { ...unmeasured, ...facts };
      expect(classOf(line)).to.equal(want);
      const latency = latencyOf(line);
      const right: RunLine = {
        ...line,
        outcome_class: want,
        ...(latency === undefined ? {} : { latency_ok: latency }),
      };
      expect(disagreement(right)).to.equal(undefined);
      for (const wrong of ['ok', 'caller_fault', 'policy_denied', 'platform_fault', 'orb_fault'] as const)
        if (wrong !== want) expect(disagreement({ ...right, outcome_class: wrong })).to.equal('outcome_class');
    });

  it('the objective is met at its last millisecond, and only a completed run with an objective is measured', () => {
    expect(disagreement(run)).to.equal(undefined);
    expect(disagreement({ ...run, execution_ms: 2001 })).to.equal('latency_ok');
    expect(disagreement({ ...run, execution_ms: 2001, latency_ok: false })).to.equal(undefined);
    const { objective_ms: __, ...aimless } = run;
    expect(disagreement(aimless)).to.equal('latency_ok');
  });

  it('a resolution is good when sent, a fault when not, and a fault of the caller whatever it says', () => {
    const resolution = {
      ...({ kind: 'resolution', origin: 'o', index: 1, receipt_id: 'rec_2', signed_by: 'k' } as const),
      ...({
        orb_id: run.orb_id,
        mode: 'live',
        finished_at: run.finished_at,
        resolves: 'rec_1',
        is_self: false,
      } as const),
    };
    const fits = (outcome: 'sent' | 'not_sent', supersedes: OutcomeClass, outcome_class: OutcomeClass) =>
      disagreement({ ...resolution, outcome, supersedes, outcome_class }) === undefined;
    expect(fits('sent', 'orb_fault', 'ok')).to.equal(true);
    expect(fits('not_sent', 'ok', 'orb_fault')).to.equal(true);
    expect(fits('sent', 'caller_fault', 'caller_fault')).to.equal(true);
    expect(fits('sent', 'caller_fault', 'ok')).to.equal(false);
    expect(fits('not_sent', 'orb_fault', 'ok')).to.equal(false);
  });
});

describe('what is counted', () => {
  const count = (said: Parameters<typeof runPredicate>[1]) => {
    const log = syntheticLog();
    log.append('run', runPredicate({ day: 0, second: 0, caller: 1 }, said));
    const sums = new Summing();
    const projection = new Projection(stateOf({}), sums, new MemoryTallies());
    // Counts in memory are there at once.
    for (const line of log.entries.map(readLine)) void projection.apply(line);
    return { ...sums.take(), refused: [...projection.state.refused.values()].map(({ reason }) => reason) };
  };

  it('a good run: its caller-day and its minute', () => {
    const { callerDays, minutes, days } = count({});
    expect(callerDays.map(({ day, ok, fault, fast }) => [day - startDay, ok, fault, fast])).to.deep.equal([
      [0, 1, 0, 1],
    ]);
    expect(minutes.map(({ minute, provider, n, fault }) => [minute % 1440, provider, n, fault])).to.deep.equal([
      [720, 'a', 1, 0],
    ]);
    expect(days).to.deep.equal([]);
  });

  const excluded = [
    { name: 'self', said: { score_fact: { is_self: true } } },
    { name: 'sandbox', said: { mode: 'sandbox' } },
    { name: 'unattributed', said: { score_fact: { caller_ref: undefined } } },
    { name: 'caller_fault', said: { outcome: 'rejected', score_fact: { outcome_class: 'caller_fault' } } },
    {
      name: 'policy_denied',
      said: {
        outcome: 'denied',
        score_fact: { outcome_class: 'policy_denied' },
        facts: { policy: { reasons: [{ code: 'no' }] } },
      },
    },
    {
      name: 'platform_fault',
      said: { outcome: 'not_sent', score_fact: { outcome_class: 'platform_fault' }, facts: { provider: undefined } },
    },
  ];
  for (const { name, said } of excluded)
    it(`${name} moves no score and is told`, () => {
      const { callerDays, minutes, days, refused } = count(said);
      expect([callerDays, minutes, refused]).to.deep.equal([[], [], []]);
      expect(days.map(({ name: counter, n }) => [counter, n])).to.deep.equal([[name, 1]]);
    });

  it('an entry whose class disagrees is refused and counts nowhere', () => {
    const { callerDays, minutes, days, refused } = count({ outcome: 'not_sent', score_fact: { outcome_class: 'ok' } });
    expect([callerDays, minutes, days]).to.deep.equal([[], [], []]);
    expect(refused).to.deep.equal(['outcome_class']);
  });
});
