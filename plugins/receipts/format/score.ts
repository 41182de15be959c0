/**
 * Trust score and risk level, model tsm-1: how far one run was under known-good controls, from its receipt alone.
 * Pure and integer only. A changed table gets a new model id; old receipts always verify with their own model.
 */
import { undecidedReasons } from './names.ts';
import type { RunFacts, RunPredicate, RunScore, ScoreFact } from './run-statement.ts';

/** What the score is computed from: part of the predicate of a run. */
export type Scored = Pick<RunPredicate, 'status' | 'execution_ms' | 'facts'>;

type Deduction = RunScore['deductions'][number];
type Gate = RunScore['gates'][number];
type Risk = RunScore['risk_level'];

/** Computes `score` of a run: deductions in table order with their evidence, gates, band, risk. */
export function scoreRun(run: Scored): RunScore {
  const deductions: Deduction[] = [];
  const deduct: Deduct = (code, amount, evidence) => {
    if (amount > 0) deductions.push({ code, evidence: `/facts/${evidence}`, points: amount });
  };
  let deducted = 0;
  for (const { cap, deduce } of rules) {
    const before = deductions.length;
    deduce(run, deduct);
    deducted += Math.min(cap, pointsFrom(deductions, before));
  }
  const gates = gatesOf(run);
  const trustScore = Math.min(100 - deducted, ...gates.map(({ max }) => max));
  const band = bandOf(trustScore);
  const inherent = inherentRisk(run.facts);
  return {
    band,
    deductions,
    gates,
    inherent_risk: inherent,
    model: 'tsm-1',
    // A denied run had no effect, useful or harmful: its risk is the inherent risk of its kind.
    risk_level: run.status === 'denied' ? inherent : residual[inherent][band],
    trust_score: trustScore,
  };
}

/** Notes a deduction; none when the amount is 0. `evidence`: pointer below `/facts`. */
type Deduct = (code: string, amount: number, evidence: string) => void;

interface Rule {
  readonly cap: number;
  readonly deduce: (run: Scored, deduct: Deduct) => void;
}

// In table order; the caps add up to 100.
const rules: readonly Rule[] = [
  { cap: 25, deduce: policy },
  { cap: 10, deduce: integrity },
  { cap: 15, deduce: schema },
  { cap: 25, deduce: delivery },
  { cap: 5, deduce: latency },
  { cap: 10, deduce: certification },
  { cap: 10, deduce: data },
];

function pointsFrom(deductions: readonly Deduction[], first: number): number {
  let sum = 0;
  for (let at = first; at < deductions.length; at++) sum += deductions[at]?.points ?? 0;
  return sum;
}

function policy({ facts: { policy: facts } }: Scored, deduct: Deduct): void {
  const unmatched = facts.decision === 'allow' && facts.policies.length === 0;
  deduct('no_policy_matched', unmatched ? 15 : 0, 'policy/policies');
  deduct('shadow_deny', facts.shadow_denies > 0 ? 10 : 0, 'policy/shadow_denies');
  deduct('policy_warn', Math.min(9, 3 * facts.warns), 'policy/warns');
}

function integrity({ facts }: Scored, deduct: Deduct): void {
  deduct('key_in_process', facts.key.custody === 'in_process' ? 4 : 0, 'key/custody');
  deduct('manifest_unsigned', facts.orb.manifest_signed ? 0 : 6, 'orb/manifest_signed');
}

function schema({ facts }: Scored, deduct: Deduct): void {
  deduct('no_inputs_schema', facts.schema.inputs === 'absent' ? 5 : 0, 'schema/inputs');
  deduct('no_outputs_schema', facts.schema.outputs === 'absent' ? 5 : 0, 'schema/outputs');
  deduct('invalid_outputs', facts.schema.outputs === 'invalid' ? 15 : 0, 'schema/outputs');
}

const healthPoints = { up: 0, unknown: 3, degraded: 6, down: 12 } as const;

function delivery({ facts }: Scored, deduct: Deduct): void {
  const { attempts, provider, outcome } = facts;
  const failover = attempts.some((attempt) => attempt.provider !== provider?.name);
  deduct('provider_health', provider === undefined ? 0 : healthPoints[provider.health], 'provider/health');
  deduct('retries', Math.min(6, 2 * (attempts.length - 1)), 'attempts');
  deduct('failover', failover ? 5 : 0, 'attempts');
  deduct('unacknowledged', outcome === 'unknown' ? 8 : 0, 'outcome');
  deduct('duplicate_possible', duplicatePossible(facts) ? 10 : 0, 'attempts');
}

// Another provider was tried while it was unknown whether an earlier one had done the work. A lookup, or an answer of
// the same provider, settles an unknown outcome.
function duplicatePossible({ action, attempts }: RunFacts): boolean {
  if (action.effect === 'none') return false;
  const unsettled = new Set<string>();
  for (const { provider, outcome, lookup } of attempts) {
    if (unsettled.size > (unsettled.has(provider) ? 1 : 0)) return true;
    if (lookup !== undefined) unsettled.delete(provider);
    else if (outcome === 'unknown') unsettled.add(provider);
    else if (outcome !== 'not_sent') unsettled.delete(provider);
  }
  return false;
}

function latency({ execution_ms: took, facts }: Scored, deduct: Deduct): void {
  const objective = facts.latency?.objective_ms;
  if (objective === undefined) return deduct('no_latency_objective', 1, 'latency');
  const missed = took > 2 * objective ? 5 : took > objective ? 2 : 0;
  deduct('latency_missed', missed, 'latency/objective_ms');
}

const tierPoints = { platinum: 0, gold: 2, silver: 4, bronze: 6, none: 10 } as const;

function certification({ facts }: Scored, deduct: Deduct): void {
  deduct('tier', tierPoints[facts.orb.tier], 'orb/tier');
}

function data({ facts }: Scored, deduct: Deduct): void {
  deduct('unclassified', facts.data.classes.length === 0 ? 10 : 0, 'data/classes');
}

const statusGates = { denied: 0, failed: 39, timed_out: 39, cancelled: 39, indeterminate: 49 } as const;

function gatesOf({ status, facts }: Scored): Gate[] {
  const gates: Gate[] = [];
  if (status === 'failed' && facts.outcome === 'invalid_outputs') gates.push({ code: 'invalid_outputs', max: 59 });
  else if (status !== 'completed') gates.push({ code: status, max: statusGates[status] });
  if (facts.orb.state === 'suspended') gates.push({ code: 'orb_suspended', max: 19 });
  return gates;
}

function bandOf(trustScore: number): RunScore['band'] {
  if (trustScore >= 90) return 'A';
  if (trustScore >= 75) return 'B';
  return trustScore >= 50 ? 'C' : 'D';
}

const risks = ['low', 'medium', 'high', 'critical'] as const;
const classRisk = { read: 0, notify: 1, write: 1, delete: 2, execute: 2, payment: 3 } as const;

// The risk of this kind of action with this data, regardless of the outcome.
function inherentRisk({ action, data: { classes } }: RunFacts): Risk {
  const sensitivity = classes.includes('restricted') ? 2 : classes.includes('confidential') ? 1 : 0;
  return risks[Math.min(3, classRisk[action.class] + sensitivity)] ?? 'critical';
}

const residual: Readonly<Record<Risk, Readonly<Record<RunScore['band'], Risk>>>> = {
  low: { A: 'low', B: 'low', C: 'medium', D: 'high' },
  medium: { A: 'low', B: 'medium', C: 'medium', D: 'high' },
  high: { A: 'medium', B: 'high', C: 'high', D: 'critical' },
  critical: { A: 'high', B: 'high', C: 'critical', D: 'critical' },
};

/** Computes the input of reputation from a run's facts: all of `score_fact` except the caller. */
export function deriveScoreFact(run: Scored): Pick<ScoreFact, 'outcome_class' | 'latency_ok'> {
  const objective = run.facts.latency?.objective_ms;
  const measured = run.status === 'completed' && objective !== undefined;
  return { ...(measured ? { latency_ok: run.execution_ms <= objective } : {}), outcome_class: outcomeClass(run.facts) };
}

function outcomeClass({ action, outcome, policy, provider }: RunFacts): ScoreFact['outcome_class'] {
  switch (outcome) {
    case 'accepted':
      return 'ok';
    case 'rejected':
    case 'cancelled':
      return 'caller_fault';
    case 'denied':
      return policy.reasons?.some(({ code }) => undecidedReasons.includes(code)) ? 'platform_fault' : 'policy_denied';
    default:
      if (action.caller_deadline) return 'caller_fault';
      // Without a provider nothing of the Orb ran: empty order, empty allow-list, deadline before bind.
      return provider === undefined ? 'platform_fault' : 'orb_fault';
  }
}
