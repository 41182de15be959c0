import type { RuntimeHooks } from '../facts/hooks.ts';
import type { Settled } from '../dispatch/run-record.ts';
import type { StoredAnswer } from '../journal/answer.ts';
import type { Ending } from '../outcome/outcome.ts';
import type { Attempt } from '../facts/run.ts';
import { runRow, withFailure } from '../run/run-fact.ts';
import runtimeStore from '../store.ts';
import { keepAnswer, type WaitingRequest } from './request.ts';
import queueStore from './store.ts';
import type { RunSettled } from '../facts/hooks.ts';
import type { RunFact } from '../facts/facts.ts';
import { type Decision, operation, timestamp, type Clock } from '../../../kernel/index.ts';
import { undecidedReason } from '../outcome/undecided.ts';

/** A run that ends without having been served. */
export interface Unserved {
  readonly request: WaitingRequest;
  readonly attempts: readonly Attempt[];
  readonly ending: Ending;
  /** The decision that ended it; the one by which it was accepted unless given. */
  readonly decision?: Decision;
}

/** The dependencies of ending runs. */
export interface UnservedOptions {
  readonly hooks: RuntimeHooks;
  readonly clock: Clock;
  readonly settled: (event: RunSettled, attempts: readonly Attempt[]) => void;
}

/** The end of a run that was cancelled on request. */
export const cancelledOnRequest: Ending = Object.freeze({
  status: 'cancelled',
  outcome: 'cancelled',
  code: 'run_cancelled',
  reason: 'run_cancelled',
  detail: 'the run was cancelled before anything was sent',
});

const unanswered: ReadonlySet<string> = new Set(['not_sent', 'throttled', 'provider_fault', 'unknown', 'deadline']);

/** Says whether a run that was stopped has no answer of a provider, and no unknown effect. */
export function hasNoAnswer({ ending: { status, outcome } }: Pick<Settled, 'ending'>): boolean {
  return (status === 'failed' || status === 'timed_out') && unanswered.has(outcome);
}

/** The end of a run that waited too long. */
export const expiredEnding: Ending = Object.freeze({
  status: 'failed',
  outcome: 'not_sent',
  code: 'provider_unavailable',
  reason: 'provider_unavailable',
  detail: 'the run expired before it could be served; nothing was sent',
  retry_after: 5,
});

/** The end of a run whose key was revoked, or lost its scope, while it waited. */
export const revokedEnding: Ending = Object.freeze({
  status: 'denied',
  outcome: 'denied',
  code: 'access_denied',
  reason: 'credential_revoked',
  detail: 'the key that requested the run was revoked, or may no longer run this Orb; nothing was sent',
});

/** Makes the denial of a run whose key was revoked. */
export function revokedDecision({ fact }: WaitingRequest): Decision {
  const { decision_id } = fact.decision;
  const accepted = decision_id === undefined ? {} : { accepted_decision_id: decision_id };
  const reasons = [{ code: 'credential_revoked' }];
  return { allow: false, ...accepted, policies: [], reasons, warns: 0, shadow_denies: 0 };
}

/** Gives a run that was not served its receipt, and takes it from the queue. Throws 503 when it cannot be recorded. */
export async function endUnserved(unserved: Unserved, { hooks, clock, settled }: UnservedOptions): Promise<void> {
  const { request, attempts, ending, decision = request.fact.decision } = unserved;
  const fact = withFailure(factOf(unserved, decision, timestamp(clock.now())), ending);
  const { run_id } = fact;
  const attested = await hooks.attest({
    fact,
    operations: (receiptId, summary) => {
      const ended = [
        operation(runtimeStore, 'insertRun', runRow(fact, receiptId)),
        operation(queueStore, 'leave', { run_id }),
      ];
      if (summary === undefined) return ended;
      const { opening, ...receipt } = summary;
      const opened = opening === undefined ? {} : { opening };
      const answer = answerOf(run_id, ending, decision, { receipt, ...opened });
      return [...ended, ...keepAnswer(run_id, request, { answer, sent: false, now: clock.now() })];
    },
  });
  const { orb_id, orbiset_id, tenant, mode } = fact;
  const event = { run_id, receipt_id: attested.receipt_id, orb_id, orbiset_id, tenant, mode };
  settled({ ...event, status: ending.status, execution_ms: 0 }, attempts);
}

function factOf({ request, attempts, ending }: Unserved, decision: Decision, at: string): RunFact {
  const { fact } = request;
  return {
    ...fact,
    started_at: at,
    finished_at: at,
    execution_ms: 0,
    status: ending.status,
    ...(ending.reason === undefined ? {} : { reason: ending.reason }),
    facts: { ...fact.facts, attempts, outcome: ending.outcome },
    decision,
  };
}

function answerOf(run_id: string, ending: Ending, decision: Decision, receipt: object): StoredAnswer {
  const { code = 'internal', detail = '', status, retry_after } = ending;
  const later = retry_after === undefined ? {} : { retry_after };
  const denial = decision.allow || undecidedReason(decision) !== undefined ? {} : { reasons: decision.reasons ?? [] };
  return { code, detail, extensions: { run_id, run_status: status, ...receipt, ...denial, ...later } };
}
