import type { Settled } from '../dispatch/run-record.ts';
import { because, type Ending } from '../outcome/outcome.ts';
import type { Attempt, RunFact } from '../facts/facts.ts';
import { answerOf, runRow, withFailure } from '../run/run-fact.ts';
import runtimeStore from '../store.ts';
import { keepAnswer, readRequest, type WaitingRequest } from './request.ts';
import { conditional } from '../run/held.ts';
import queueStore, { type ClaimedRow } from './store.ts';
import type { Announce } from '../run/metrics.ts';
import type { ApprovalsPort, NamedApproval } from '../facts/held.ts';
import type { RunSettled } from '../facts/hooks.ts';
import type { RuntimeScope } from '../facts/scope.ts';
import type { TracingPort } from '../facts/tracing.ts';
import { given, type Decision, operation, timestamp } from '../../../kernel/index.ts';
import { undecidedReason } from '../outcome/undecided.ts';

/** How a run ends that was not served. */
export interface Unserved {
  readonly ending: Ending;
  /** The decision that ended it; the one by which it was accepted unless given. */
  readonly decision?: Decision;
}

/** The end of a run that was cancelled on request. */
export const cancelledOnRequest: Ending = Object.freeze({
  ...{ status: 'cancelled', outcome: 'cancelled' },
  ...because('run_cancelled', 'the run was cancelled before anything was sent'),
});

const unanswered: ReadonlySet<string> = new Set(['not_sent', 'throttled', 'provider_fault', 'unknown', 'deadline']);

/** Says whether a run that was stopped has no answer of a provider, and no unknown effect. */
export function hasNoAnswer({ ending: { status, outcome } }: Pick<Settled, 'ending'>): boolean {
  return (status === 'failed' || status === 'timed_out') && unanswered.has(outcome);
}

/** The end of a run that waited too long. */
export const expiredEnding: Ending = Object.freeze({
  ...{ status: 'failed', outcome: 'not_sent', retry_after: 5 },
  ...because('provider_unavailable', 'the run expired before it could be served; nothing was sent'),
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
  const accepted = given({ accepted_decision_id: fact.decision.decision_id });
  const reasons = [{ code: 'credential_revoked' }];
  return { allow: false, ...accepted, policies: [], reasons, warns: 0, shadow_denies: 0 };
}

/** What ends a run. */
type EndOptions = Pick<RuntimeScope, 'clock' | 'hooks'> & {
  readonly announce: Announce;
  readonly approvals?: ApprovalsPort | undefined;
  readonly tracing?: TracingPort | undefined;
};

/** Gives a run that was not served its receipt, and takes it from the queue. Throws 503 when it cannot be recorded. */
export async function endUnserved(row: ClaimedRow, unserved: Unserved, options: EndOptions): Promise<void> {
  const { hooks, clock, announce, approvals, tracing } = options;
  const request = readRequest(row.request);
  const { ending } = unserved;
  const decision = unserved.decision ?? conditional(request.fact.decision);
  const attempts = JSON.parse(row.attempts) as readonly Attempt[];
  const asked = row.approval === null ? undefined : await approvals?.answered(row.approval);
  const approval = asked?.named;
  const ended = { at: timestamp(clock.now()), attempts, approval, decision };
  const fact = withFailure(factOf(request.fact, ending, ended), ending);
  const as = ending.status === 'cancelled' ? 'cancelled' : 'expired';
  const closed = approval === undefined || approvals === undefined ? [] : [approvals.close(approval.approval_id, as)];
  const { run_id } = fact;
  const attested = await hooks.attest({
    fact,
    operations: (receiptId, summary) => {
      const writes = [
        ...closed,
        operation(runtimeStore, 'insertRun', runRow(fact, receiptId)),
        operation(queueStore, 'leave', { run_id }),
      ];
      if (summary === undefined) return writes;
      const { opening, ...receipt } = summary;
      // A decision that was not made denies nothing.
      const made = undecidedReason(decision) === undefined ? decision : { ...decision, allow: true };
      const answer = answerOf({ run_id, ending, execution_ms: 0, decision: made }, receipt, opening);
      return [...writes, ...keepAnswer(run_id, request, { answer, sent: false, now: clock.now() })];
    },
  });
  const { orb_id, orbiset_id, tenant, mode } = fact;
  const event = { run_id, receipt_id: attested.receipt_id, orb_id, orbiset_id, tenant, mode };
  const { traceparent } = request.call;
  const settled: RunSettled = { ...event, status: ending.status, execution_ms: 0, traceparent };
  announce(settled, attempts);
  const { code } = ending;
  const accepted_at = clock.now();
  tracing?.ended(settled, attempts.length, () => ({
    ...{ event: settled, accepted_at, code, attempts, calls: [], listed: false },
  }));
}

interface Ended extends Pick<RunFact, 'decision'> {
  readonly at: string;
  readonly attempts: readonly Attempt[];
  readonly approval: NamedApproval | undefined;
}

function factOf(fact: RunFact, ending: Ending, { at, attempts, approval, decision }: Ended): RunFact {
  return {
    ...fact,
    started_at: at,
    finished_at: at,
    execution_ms: 0,
    status: ending.status,
    ...given({ reason: ending.reason }),
    facts: { ...fact.facts, ...given({ approval }), attempts, outcome: ending.outcome },
    decision,
  };
}
