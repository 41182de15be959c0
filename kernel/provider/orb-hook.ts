import { AsyncSeriesBailHook } from 'tapable';
import type { FailureOutcome, RejectedReason } from '../error.ts';
import { asked, promised } from '../hook-answer.ts';
import type { ExecuteContext } from './adapter.ts';
import type { UpstreamCall } from './upstream.ts';

/** One call to a provider. */
export interface Dispatch {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Ends the adapter's work at the deadline. */
  readonly signal: AbortSignal;
  /** The provider-side key: the same for all attempts of a run at one provider. */
  readonly idempotency_key: string;
  /** Present when the Orb represents a tool of the provider. */
  readonly upstream?: UpstreamCall;
  readonly emit?: ExecuteContext['emit'];
}

/** A report on an attempt that was not accepted. */
export interface Failure {
  readonly outcome: FailureOutcome | 'invalid_outputs';
  readonly phase?: string;
  /** Of a rejection, for callers that decide by it. */
  readonly reason?: RejectedReason;
  /** Seconds. */
  readonly retry_after?: number;
  /** For the caller; no secret. */
  readonly message: string;
  /** For the operator: which setting to change. The caller does not get it. */
  readonly remedy?: string;
  /** The platform itself did not begin the call; no adapter reports it. */
  readonly platform?: true;
}

/** The result of one attempt, as far as it is known. */
export type Outcome = { readonly outcome: 'accepted'; readonly outputs: Readonly<Record<string, unknown>> } | Failure;

/** The hook of one generation of an Orb. Each opening gets a new one, so that a swap changes a pointer and no tap. */
export interface OrbHook {
  /** Serves one dispatch, or `undefined` when nothing is bound. Never rejects. */
  call(dispatch: Dispatch): Promise<Outcome | undefined>;
}

/** Makes the hook of one generation with the kernel's own tap on it, which always returns an Outcome. */
export function createOrbHook(name: string, serve: (dispatch: Dispatch) => Promise<Outcome>): OrbHook {
  const hook = new AsyncSeriesBailHook<[Dispatch], Outcome>(['dispatch'], 'orb');
  hook.tapAsync(name, (dispatch, done) => {
    serve(dispatch).then((outcome) => done(null, outcome), done);
  });
  return Object.freeze({ call: (dispatch: Dispatch) => promised(() => asked(hook, dispatch)) });
}
