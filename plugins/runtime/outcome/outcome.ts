import type { RunStatus } from '../facts/facts.ts';
import { unansweredAttempts, wasSent, type Told } from './unanswered-attempts.ts';
import { undecidedReason } from './undecided.ts';
import type { ProblemCode } from './problems.ts';
import type { Decision } from '../../../kernel/index.ts';
import type { RejectedReason } from '../../../kernel/adapter.ts';
import type { Effect, Failure, Outcome } from '../../../kernel/runner.ts';

/** The end of a run: its row of the outcome table. `code` and `reason` are absent iff completed. */
export interface Ending {
  readonly status: RunStatus;
  /** `facts.outcome`: the outcome that decided. */
  readonly outcome: string;
  readonly code?: ProblemCode;
  readonly reason?: string;
  readonly detail?: string;
  /** `protocol`: it answered that it did not take the call, or failed, in place of a result; `uncounted`: it counts no tokens. */
  readonly phase?: 'protocol' | 'uncounted';
  readonly provider_reason?: RejectedReason;
  /** Seconds. */
  readonly retry_after?: number;
}

/** Says what decides whether a run is live or sandbox. */
export const modeRule =
  'a test key, or `sandbox: true` in the body, uses only sandbox providers (e.g. of the adapter email/outbox); a live key ' +
  'uses the active provider of the Orb, and others only if they are of its kind (live or sandbox)';

/** What leaves a run no provider: its mode, and the Orbiset with the providers that it allows (absent: all). */
interface Unserved {
  readonly mode: 'live' | 'sandbox';
  readonly orbiset: { readonly id: string; readonly providers?: readonly string[] };
}

const mostNamed = 10;

/** Makes the two ends without any attempt: nothing serves the Orb, or mode and allow-list leave no provider. */
export function unserved(why?: Unserved): Ending {
  const code = why === undefined ? 'provider_unavailable' : 'no_provider_allowed';
  const detail = why === undefined ? 'no provider is bound to this Orb; configure one in platform.json' : noneFits(why);
  return { status: 'failed', outcome: 'not_sent', ...because(code, detail), ...retryLater(code, undefined) };
}

function noneFits({ mode, orbiset: { id, providers } }: Unserved): string {
  const more = (providers?.length ?? 0) > mostNamed ? ', …' : '';
  const allowed = providers === undefined ? 'all providers' : `only ${providers.slice(0, mostNamed).join(', ')}${more}`;
  return (
    `no provider of this Orb may serve the run: it is a ${mode} run, and the Orbiset ${id} allows ${allowed}; ${modeRule}; ` +
    'use a key of the other mode or another Orbiset, or add a provider that fits to `providers` of the Orbiset'
  );
}

/** Says by a problem why a run ended; its code is the reason, too. */
export function because(code: ProblemCode, detail: string) {
  return { code, reason: code, detail };
}

/** The end of a run whose caller went away before anything was sent. */
export const cancelledEnding: Ending = Object.freeze({
  ...{ status: 'cancelled', outcome: 'cancelled' },
  ...because('run_cancelled', 'the caller disconnected before anything was sent; call again'),
});

/** The end of a run whose intent the store did not take while its caller waited. */
export const unbegunEnding: Ending = Object.freeze({
  ...{ status: 'failed', outcome: 'not_sent', retry_after: 1 },
  ...because('storage_unavailable', 'the intent could not be recorded in time; nothing was sent'),
});

/** Makes the end of a run that its decision does not allow: it was denied, needs an approval, or was not decided. */
export function deniedEnding(decision: Decision): Ending {
  const { asks = [] } = decision;
  if (asks.length > 0) return unapprovedEnding(asks);
  const undecided = undecidedReason(decision);
  const denied = { status: 'denied', outcome: 'denied' } as const;
  if (undecided === undefined)
    return { ...denied, ...because('access_denied', 'the policy denies this run; see reasons') };
  const detail = 'the policy engine could not decide; nothing was sent';
  return { ...denied, code: 'policy_unavailable', reason: undecided, detail, retry_after: 1 };
}

// The caller wants no run that waits, or nothing keeps approvals.
function unapprovedEnding(asks: NonNullable<Decision['asks']>): Ending {
  const people = asks.map(({ approvers, of }) => `${of === 1 ? 'a member' : `${of} members`} of ${approvers}`);
  const named = [...new Set(people)];
  const who = [...named.slice(0, mostNamed), ...(named.length > mostNamed ? ['others'] : [])].join(' and ');
  const detail = `${who} must approve this run first; see reasons; nothing was sent`;
  return { status: 'denied', outcome: 'denied', ...because('approval_required', detail) };
}

/** Makes the outcome of an attempt that was not begun. `openMs`: the time after which to try again. */
export function refusal(phase: string, message: string, openMs = 0): Outcome {
  return { outcome: 'not_sent', phase, message, ...(openMs > 0 ? { retry_after: openMs / 1000 } : {}) };
}

/** Makes the outcome of an attempt that the platform could not begin: no fault of the Orb or of its provider. */
export function platformRefusal(phase: 'deadline' | 'journal' | 'lease', message: string): Outcome {
  return { outcome: 'not_sent', phase, message, platform: true };
}

/** Says whether the platform could not begin the call of an attempt. */
export function isPlatforms(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && outcome.outcome !== 'accepted' && outcome.platform === true;
}

/** Makes the outcome of an attempt at a provider that defines the tool of the Orb otherwise. */
export function otherDefinition(message: string): Outcome {
  return { outcome: 'provider_fault', phase: 'other_definition', message };
}

/** Makes the outcome of an attempt at a provider whose drain has timed out. */
export function replaced(provider: string): Outcome {
  return refusal('drain', `provider ${provider} is being replaced`);
}

/** One attempt as the input of the outcome table. */
export interface Tried {
  readonly provider: string;
  readonly outcome: Outcome;
  /** The proof by a `lookup()` after an `unknown`. */
  readonly lookup?: 'absent' | 'present' | undefined;
}

/**
 * Settles a run by the outcome table from its attempts, at least one, in order.
 * Accepted wins; else an unsettled `unknown` decides; else the last attempt at a provider that has the model. `deadline`:
 * the deadline has passed.
 */
export function settle(tried: readonly Tried[], effect: Effect, deadline: boolean): Ending {
  if (tried.some(({ outcome }) => outcome.outcome === 'accepted')) return { status: 'completed', outcome: 'accepted' };
  const unknown = unsettled(tried);
  const last = tried.findLast(({ outcome }) => !isElsewhere(outcome)) ?? tried.at(-1);
  const deciding = unknown ?? last?.outcome;
  if (deciding === undefined || deciding.outcome === 'accepted') return unserved();
  // An unanswered attempt that a look-up did not find counts as not sent.
  if (unknown === undefined && last?.lookup === 'absent')
    return { ...row({ ...deciding, outcome: 'not_sent' }, effect), outcome: 'unknown' };
  // The deadline row has priority when nothing was dispatched, or a repetition does no harm.
  const harmless = effect === 'none' || effect === 'idempotent';
  const open = deciding.outcome === 'unknown' || deciding.outcome === 'not_sent' || deciding.outcome === 'throttled';
  if (deadline && open && (harmless || unknown === undefined)) return timedOut;
  return row(deciding, effect);
}

/**
 * Says whether the platform kept a run from its providers, and none of them may have done it: that counts neither for the
 * Orb nor for a provider.
 */
export function isUnbegun(tried: readonly Tried[]): boolean {
  if (!isPlatforms(tried.at(-1)?.outcome)) return false;
  return !wasSent(tried.map(told));
}

/** Finds the first unanswered attempt that nothing settled. */
export function unsettled(tried: readonly Tried[]): Failure | undefined {
  const [first] = unansweredAttempts(tried, told);
  return first === undefined || first.outcome.outcome === 'accepted' ? undefined : first.outcome;
}

function told({ provider, outcome: { outcome }, lookup }: Tried): Told {
  return { provider, outcome, lookup };
}

const timedOut: Ending = Object.freeze({
  ...{ status: 'timed_out', outcome: 'deadline' },
  ...because('run_timed_out', 'the deadline passed before the provider answered; it is safe to repeat the run'),
});

type Row = readonly [status: RunStatus, code: ProblemCode];

const rows: Readonly<Record<Failure['outcome'], Row>> = {
  rejected: ['failed', 'provider_rejected'],
  provider_fault: ['failed', 'provider_failed'],
  invalid_outputs: ['failed', 'invalid_outputs'],
  not_sent: ['failed', 'provider_unavailable'],
  throttled: ['failed', 'provider_unavailable'],
  unknown: ['indeterminate', 'outcome_unknown'],
};

// The intent could not be recorded, or another node may have settled it.
const unrecorded: Row = ['failed', 'storage_unavailable'];

// Phases of a provider fault at a tool that is not the one of the manifest; nothing was sent.
const unfitCodes: Readonly<Record<string, ProblemCode>> = {
  definition_changed: 'definition_changed',
  tool_gone: 'definition_changed',
  other_definition: 'invalid_provider',
};

/** Says whether a failure shows only that the provider no longer offers the Orb's tool as the manifest has it. */
export function isUnfit({ outcome, phase }: Failure): boolean {
  return outcome === 'provider_fault' && Object.hasOwn(unfitCodes, phase ?? '');
}

/** Says whether a provider does not have the model of a call: it is none of its faults. */
export function isElsewhere(outcome: Outcome): boolean {
  return outcome.outcome === 'provider_fault' && outcome.phase === 'model';
}

function row(failure: Failure, effect: Effect): Ending {
  const repeatable = failure.outcome === 'unknown' && effect === 'none';
  const unfit = failure.outcome === 'provider_fault' ? unfitCodes[failure.phase ?? ''] : undefined;
  const [status, code] = failure.platform ? unrecorded : repeatable ? rows.provider_fault : rows[failure.outcome];
  const { message, outcome } = failure;
  if (unfit !== undefined) return { status, outcome, ...because(unfit, message) };
  return {
    ...{ status, outcome, ...because(code, message) },
    ...(failure.reason === undefined ? {} : { provider_reason: failure.reason }),
    ...(failure.phase === 'protocol' || failure.phase === 'uncounted' ? { phase: failure.phase } : {}),
    ...retryLater(code, failure.retry_after),
  };
}

function retryLater(code: ProblemCode, retryAfter: number | undefined): { retry_after?: number } {
  if (code === 'storage_unavailable') return { retry_after: 1 };
  return code === 'provider_unavailable' ? { retry_after: Math.max(1, Math.ceil(retryAfter ?? 5)) } : {};
}
