import type { Decided, RunRequest } from '../dispatch/run-record.ts';
import type { StoredAnswer } from '../journal/answer.ts';
import { answerKeptMs, type Claim } from '../journal/keys.ts';
import { guardedMs } from '../journal/repeats.ts';
import journalStore, { repeatMethod, type KeyName, type KeyRow } from '../journal/store.ts';
import { waitingFact } from '../run/run-fact.ts';
import queueStore from './store.ts';
import type { RunEvents } from './run-events.ts';
import type { RuntimeScope } from '../facts/scope.ts';
import type { RunFact } from '../facts/facts.ts';
import { unfitMember } from '../catalog/invalid-inputs.ts';
import { type Principal, operation, type Operation } from '../../../kernel/index.ts';

type Said = 'orbiset_id' | 'orb_id' | 'delivery' | 'timeout_ms' | 'disclose' | 'sandbox' | 'callback' | 'hold';
type Kept = Said | 'client_ip' | 'traceparent' | 'channel';

/** The request of a run that waits, as it is stored. */
export interface WaitingRequest {
  readonly call: Pick<RunRequest, Kept> & { readonly principal: Principal };
  /** The run's fact if it ends without having been served; its inputs are those of the request. */
  readonly fact: RunFact;
  /** The caller's Idempotency-Key. */
  readonly key?: Claim['name'];
}

/** Writes the request of an accepted run as text; `inputs_salt`: of the commitment to its inputs that people are shown. */
export function requestText(run: Decided, inputs_salt?: string): string {
  const { orbiset_id, orb_id, delivery, timeout_ms, disclose, sandbox, callback, hold } = run;
  const { client_ip, traceparent, channel } = run;
  const said = { orbiset_id, orb_id, delivery, timeout_ms, disclose, sandbox, callback, hold };
  const call = { ...said, client_ip, traceparent, channel, principal: run.principal };
  const request = { call, fact: { ...waitingFact(run), inputs_salt }, key: run.claim?.name };
  return JSON.stringify(request);
}

/** Reads the text of a request, which only `requestText` writes. */
export function readRequest(text: string): WaitingRequest {
  return JSON.parse(text) as WaitingRequest;
}

/** The name under which the answer of a run is kept for its principal: no caller can spell such a method. */
export function answerName(principal: string, run_id: string): KeyName {
  return { principal, method: 'run', path: '', key: run_id };
}

/** Makes the claim of the answer of a run, which is kept for a day. */
export function answerClaim(principal: string, run_id: string, now: number): Omit<KeyRow, 'answer'> {
  return { ...answerName(principal, run_id), fingerprint: '', subject: run_id, expires_at: now + answerKeptMs };
}

/** How a run ended that had waited. */
interface WaitedEnd {
  readonly answer: StoredAnswer;
  /** A provider may have done it. */
  readonly sent: boolean;
  readonly now: number;
}

/** Makes the writes that keep the answer of a run that has ended for a day: for its principal, and under its key. */
export function keepAnswer(run_id: string, { call, fact, key }: WaitingRequest, { answer, sent, now }: WaitedEnd) {
  const own = answerClaim(call.principal.id, run_id, now);
  const kept = (claim: typeof own): Operation =>
    operation(journalStore, 'finishKey', { ...claim, now, answer: JSON.stringify(answer) });
  if (key === undefined) return [kept(own)];
  if (key.method !== repeatMethod) return [kept(own), kept({ ...own, ...key })];
  // Of a call that may be a repetition: it is done again when nothing was done.
  const expires_at = now + guardedMs(fact.facts.action.effect, answer);
  const guard = sent
    ? kept({ ...own, ...key, expires_at })
    : operation(journalStore, 'freeKey', { ...key, subject: run_id });
  return [kept(own), guard];
}

/** What the claim of a run that has waited writes with. */
type ClaimOptions = Pick<RuntimeScope, 'clock' | 'store'> & { readonly events: RunEvents };

/** Makes the claim of a run that has waited: it leaves the queue with its receipt, and its answer is kept. */
export function claimOf(run_id: string, request: WaitingRequest, { store, clock, events }: ClaimOptions): Claim {
  const nothing = (): readonly Operation[] => [];
  return {
    name: { ...answerName(request.call.principal.id, run_id), fingerprint: '' },
    begin: () => undefined,
    durable: false,
    // The key was claimed when the run was accepted.
    take: async (intent, beside = []) => {
      if (intent === undefined) return;
      await store.write([operation(journalStore, 'intend', intent), events.started(request.fact), ...beside]);
    },
    freed: nothing,
    release: () => undefined,
    ended: () => [operation(queueStore, 'leave', { run_id })],
    finished: (answer, sent = true) => keepAnswer(run_id, request, { answer, sent, now: clock.now() }),
  };
}

/** How a caller asks for a run that it does not wait for. */
export interface Asked {
  /** How long the caller waits for the end all the same, ms. */
  readonly waitMs: number;
  /** The preferences that were followed. */
  readonly applied: string;
  /** RFC 3339. */
  readonly run_at?: string | undefined;
  readonly expires_in_s?: number | undefined;
  /** Makes writes that commit with the run's row. */
  readonly beside?: (runId: string) => readonly Operation[];
}

const dayMs = 86_400_000;
const defaultExpiryS = 3600;

/** Reads when a run may begin and when it has waited too long, ms. Throws 422 `invalid_body`. */
export function timesOf({ run_at, expires_in_s = defaultExpiryS }: Asked, now: number) {
  const at = run_at === undefined ? now : Date.parse(run_at);
  if (at > now + 30 * dayMs) throw unfitMember('run_at', 'must be at most 30 days from now');
  const begin = Math.max(now, at);
  return { accepted_at: now, run_at: begin, expires_at: begin + expires_in_s * 1000 };
}
