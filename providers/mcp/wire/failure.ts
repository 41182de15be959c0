import { BlockedAddress } from '../../../kernel/outbound.ts';
import { connectionRemedy, failureCode } from '../../vendor/connection/remedy.ts';
import { ProviderError } from '../../../kernel/adapter.ts';
import type { Moment } from './moment.ts';
import { plain } from './text.ts';

/** Why a call brought no result, in the words of the protocol. */
export type CallFailure =
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'http'; readonly status: number }
  /** The answer is a result of a kind that ends no call: `input_required`. */
  | { readonly kind: 'result'; readonly type: string }
  /** The answer was a task that ended without a result, or was lost. */
  | { readonly kind: 'task'; readonly status: string }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'stream' }
  | { readonly kind: 'transport'; readonly error: unknown };

/** Thrown by a connection whose call brought no result. */
export class CallError extends Error {
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(reasons[failure.kind](failure));
    this.name = 'CallError';
    this.failure = failure;
  }
}

/** A reason in our own words: unlike those of libraries, it names no address and no path. */
export class Reason extends Error {}

/**
 * Says whether a server no longer knows the session of a connection, and has executed nothing: it answers 404, or 400 as
 * the official example server does after a restart.
 */
export function isLostSession(error: unknown, { session }: { readonly session: string | undefined }): boolean {
  if (session === undefined || !(error instanceof CallError)) return false;
  return error.failure.kind === 'http' && (error.failure.status === 404 || error.failure.status === 400);
}

// Errors by which a server says that it did not execute the call: JSON-RPC, and the header, capability and version
// errors of the revision 2026-07-28.
const unexecuted: ReadonlySet<number> = new Set([-32601, -32602, -32020, -32021, -32022]);

/** Maps a call without a result to its outcome: the table of the adapter. */
export function failureOutcome(error: unknown, moment: Moment, { signal }: { readonly signal: AbortSignal }) {
  if (error instanceof ProviderError) return error;
  const failure: CallFailure = error instanceof CallError ? error.failure : { kind: 'transport', error };
  if (failure.kind === 'error' && unexecuted.has(failure.code))
    return new ProviderError('rejected', `the server refused the call: ${plain(failure.message)}`, {
      phase: 'protocol',
    });
  if (failure.kind === 'result' && failure.type === 'input_required')
    return new ProviderError('rejected', 'the tool asks for user input, which is not available in a run', {
      phase: 'input_required',
    });
  const status = failure.kind === 'http' ? failure.status : moment.status;
  if (status === 401 || status === 403)
    return new ProviderError('provider_fault', `the server refused the credentials (${status})`, {
      phase: 'response',
      remedy: credentialsRemedy,
    });
  if ((status === 429 || status === 503) && moment.retryAfter !== undefined)
    return new ProviderError('throttled', `the server limits the rate of requests (${status})`, {
      phase: 'response',
      retry_after: moment.retryAfter,
    });
  if (!moment.written) return notSent(error, signal);
  if (signal.aborted)
    return new ProviderError('unknown', 'the time limit passed before the tool responded', { phase: 'deadline' });
  return new ProviderError('unknown', reasons[failure.kind](failure), { phase: phases[failure.kind] });
}

/** Makes the outcome of a call that the server refused in a new session, too: nothing was executed. */
export function refusedSession(error: CallError): ProviderError {
  return new ProviderError('not_sent', `the server refused the call in a new session: ${error.message}`, {
    phase: 'session',
  });
}

/** Maps a failure to connect to the server to its outcome: nothing was sent. */
export function notSent(error: unknown, signal?: AbortSignal): ProviderError {
  if (error instanceof ProviderError) return error;
  if (signal?.aborted === true)
    return new ProviderError('not_sent', 'the time limit passed before the call was sent', { phase: 'deadline' });
  const failure = error instanceof CallError ? error.failure : undefined;
  if (failure?.kind === 'http') {
    const outcome = failure.status === 401 || failure.status === 403 ? 'provider_fault' : 'not_sent';
    const remedy =
      outcome === 'provider_fault' ? credentialsRemedy : 'check `url`; it must be the URL of the MCP endpoint';
    return new ProviderError(outcome, `the server refused the connection (${failure.status})`, {
      phase: 'open',
      remedy,
    });
  }
  const reason = reasonOf(error);
  return new ProviderError('not_sent', `no connection to the server${reason === undefined ? '' : ` (${reason})`}`, {
    phase: 'connect',
    remedy: remedyOf(error),
  });
}

// Errors of a connection to a server by the host and port that were tried.
const addresses = new WeakMap<Error, string>();

/** Notes the host and port that were tried, for the operator; returns the error as it was. */
export function noteTried(error: unknown, tried: string | undefined): Error {
  const noted = error instanceof Error ? error : new Error(String(error));
  if (tried !== undefined) addresses.set(noted, tried);
  return noted;
}

const credentialsRemedy = 'check the credentials in `headers`';

function remedyOf(error: unknown): string | undefined {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof BlockedAddress))
    return 'the host has a private or local address; if this is intended, set `private` to `true`';
  if (causes.some((cause) => cause.name === 'TimeoutError'))
    return 'check `url`, or `command` for a program; a program that starts slowly needs a higher `start_timeout_ms`';
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'EACCES')
    return 'the program cannot be started; check `command`, `cwd`, and PATH in `env`';
  const tried = error instanceof Error ? addresses.get(error) : undefined;
  return connectionRemedy(code, { address: '`url`', timeout: '`connect_timeout_ms`', tried });
}

/** Says what an error says, for the log. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const phases: Readonly<Record<CallFailure['kind'], string>> = {
  error: 'protocol',
  http: 'response',
  result: 'response',
  task: 'task',
  unreadable: 'response',
  closed: 'process',
  stream: 'stream',
  transport: 'stream',
};

const reasons: Readonly<Record<CallFailure['kind'], (failure: CallFailure) => string>> = {
  error: (failure) => `the server failed (${failure.kind === 'error' ? failure.code : ''})`,
  http: (failure) => `the server responded with status ${failure.kind === 'http' ? failure.status : ''}`,
  result: () => 'the server returned a result of an unknown type',
  task: (failure) => `the task of the call ended with status ${failure.kind === 'task' ? failure.status : ''}`,
  unreadable: () => 'the response of the server cannot be read',
  closed: () => 'the server process ended before it responded',
  stream: () => 'the response stream ended before the result',
  transport: () => 'the connection failed before the server responded',
};

// Words of our own, or the kind of the error.
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Reason || error instanceof CallError) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not respond in time';
  return codeOf(error);
}

// Only the code is shown: messages name addresses and paths. The client library has codes of its own around that of the
// system, which is the cause.
function codeOf(error: unknown): string | undefined {
  const codes = causesOf(error).map((cause) => failureCode(cause));
  return codes.findLast((code) => code !== undefined);
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause: unknown = error; cause instanceof Error && causes.length < 5; cause = cause.cause) causes.push(cause);
  return causes;
}
