import type { Fault } from './tools/schema/fault.ts';

/** A problem type (RFC 9457): the answer to requests that fail for one reason. */
export interface ProblemType {
  /** snake_case, never reused: callers decide by it. */
  readonly code: string;
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** The same for every problem of the code. */
  readonly title: string;
  /** The same request may succeed later. Declared only where it is true. */
  readonly retryable: boolean;
  /** Why it arises, for people: one or two sentences. */
  readonly cause?: string;
  /** What to do about it, for people. */
  readonly remedy?: string;
}

type Declared = Omit<ProblemType, 'code' | 'retryable'> & Partial<Pick<ProblemType, 'retryable'>>;

/** Declares problem types by their code; `new PlatformError` and the `problems` of a route take its members. */
export function defineProblems<C extends string>(
  rows: Readonly<Record<C, Declared>>,
): Readonly<Record<C, ProblemType>> {
  const make = ([code, row]: [string, Declared]) => [code, Object.freeze({ code, retryable: false, ...row })] as const;
  // The result type of Object.fromEntries loses the names.
  return Object.freeze(Object.fromEntries(Object.entries<Declared>(rows).map(make)) as Record<C, ProblemType>);
}

/** The problem types of the kernel, which any plugin may use by their code; a plugin declares more. */
export const problems = defineProblems({
  malformed_request: { status: 400, title: 'The request is not valid HTTP' },
  malformed_json: { status: 400, title: 'The body is not acceptable JSON' },
  invalid_parameter: { status: 400, title: 'A path or query parameter is invalid' },
  unauthenticated: { status: 401, title: 'The request is not authenticated' },
  insufficient_scope: { status: 403, title: 'The API key lacks a required scope' },
  key_required: { status: 403, title: 'This action needs the API key, not a session' },
  tls_required: { status: 403, title: 'API keys are accepted over HTTPS only' },
  route_not_found: { status: 404, title: 'There is no such route' },
  key_not_found: { status: 404, title: 'There is no such key' },
  principal_not_found: { status: 404, title: 'There is no such principal' },
  method_not_allowed: { status: 405, title: 'The route does not support the method' },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retryable: true },
  precondition_failed: { status: 412, title: 'The precondition is not met' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type or encoding is not supported' },
  invalid_body: { status: 422, title: 'The body does not fit the schema' },
  invalid_provider: { status: 422, title: 'The provider cannot serve the Orb' },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true },
  header_fields_too_large: { status: 431, title: 'The request header is too large' },
  unsupported_coding: { status: 501, title: 'The Transfer-Encoding is not supported' },
  internal: { status: 500, title: 'The server failed unexpectedly' },
  policy_unavailable: { status: 503, title: 'The policy engine cannot decide', retryable: true },
  storage_unavailable: { status: 503, title: 'The store cannot record the result', retryable: true },
  overloaded: { status: 503, title: 'The server is overloaded', retryable: true },
  draining: { status: 503, title: 'The service is shutting down', retryable: true },
});

/** The code of a problem type of the kernel. */
export type ProblemCode = keyof typeof problems;

/** Members of a problem beside those of the table. The caller gets them unchanged, so they hold no secret. */
export interface ProblemExtensions {
  errors?: readonly Fault[];
  /** Seconds; also sent as the header Retry-After. */
  retry_after?: number;
  run_id?: string;
  /** How the run ended; the member `status` is the HTTP status. */
  run_status?: string;
  /** Of a run whose provider answered by an error of its protocol, or cannot count tokens, in place of a result. */
  phase?: 'protocol' | 'uncounted';
  /** Of a run whose provider rejected it for a reason that callers can decide by. */
  provider_reason?: RejectedReason;
  swap_id?: string;
  receipt?: object;
  /** The salts of the receipt's commitments, when the caller asked for them. */
  opening?: object;
  decision_id?: string;
  reasons?: readonly object[];
  /** Findings in policy files: file, line, column, message. */
  diagnostics?: readonly object[];
  /** Response headers, e.g. Allow; not part of the body. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * Fails a request with a problem, by its code or its type, of the kernel or of a plugin that runs. `detail` says how to
 * fix it and holds no secret; when it is absent, the answer has the title in its place. A problem type that nobody
 * declares answers 500 `internal`.
 */
export class PlatformError extends Error {
  readonly code: string;
  readonly extensions: ProblemExtensions;

  constructor(
    problem: string | ProblemType,
    detail?: string,
    extensions: ProblemExtensions = {},
    options?: ErrorOptions,
  ) {
    const code = typeof problem === 'string' ? problem : problem.code;
    const { stackTraceLimit } = Error;
    // The frames cost more than all else of a refusal, and nobody reads them: only failures of the server are logged.
    const type = typeof problem === 'string' ? (problems as Partial<Record<string, ProblemType>>)[problem] : problem;
    if (options === undefined && type !== undefined && type.status < 500) Error.stackTraceLimit = 0;
    super(detail ?? (typeof problem === 'string' ? code : problem.title), options);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'PlatformError';
    this.code = code;
    this.extensions = extensions;
  }
}

/** Makes the problem of one member of a request, at its pointer below the root; `told`: its detail, unless given that of the member. */
export function unfit(code: string, member: string, detail: string, told = detail): PlatformError {
  return new PlatformError(code, told, { errors: [{ pointer: `#/${member}`, detail }] });
}

/** Recreates a PlatformError that came from another thread, or that gets more members. */
export function renewError(code: string, detail: string, extensions: ProblemExtensions): PlatformError {
  return new PlatformError({ ...problems.internal, code }, detail, extensions);
}

/** Outcomes that an adapter may report for a call that was not accepted (the outcome table). */
export type FailureOutcome = 'rejected' | 'provider_fault' | 'not_sent' | 'throttled' | 'unknown';

/**
 * Why a vendor rejected a message, for callers that decide by it: the recipient does not exist any more (remove it), was
 * never known, or wants or may get nothing; the content is too long or refused; the sender is refused.
 */
export const rejectedReasons = [
  ...['recipient_gone', 'recipient_unknown', 'recipient_blocked'],
  ...['content_too_long', 'content_refused', 'sender_refused'],
] as const;

/** One of `rejectedReasons`. */
export type RejectedReason = (typeof rejectedReasons)[number];

/** Detail of a ProviderError: `phase` says where it happened, `retry_after` is in seconds. */
export interface ProviderErrorOptions extends ErrorOptions {
  phase?: string;
  retry_after?: number;
  /** Only of `rejected`, and only if the vendor's answer says so. */
  reason?: RejectedReason | undefined;
  /**
   * For the operator: which setting to change, by its name. Who gives it promises that `message` holds no text of the
   * caller or of the remote server: both are shown with `providers:read`, and the caller gets `message` alone.
   */
  remedy?: string | undefined;
}

/**
 * The error by which an adapter reports what is known of one call. It holds exactly one outcome and no HTTP. `message`
 * reaches the caller of the run: it holds no secret and no internals of a host.
 */
export class ProviderError extends Error {
  readonly outcome: FailureOutcome;
  /** Where it happened (`connect`, `response`, …); given with `unknown`. */
  readonly phase: string | undefined;
  /** Seconds; given with `throttled`. */
  readonly retry_after: number | undefined;
  /** Given with `rejected`, if the vendor said why. */
  readonly reason: RejectedReason | undefined;
  /** Which setting the operator changes, if that is known. */
  readonly remedy: string | undefined;

  constructor(outcome: FailureOutcome, message: string, options: ProviderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.outcome = outcome;
    this.phase = options.phase;
    this.retry_after = options.retry_after;
    this.reason = outcome === 'rejected' ? options.reason : undefined;
    this.remedy = options.remedy;
  }
}

/** Stops the boot: lists every fault of the configuration with its path (`plugins.receipts/x: must be …`); exit 78. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`the configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Exit code of a faulty configuration (EX_CONFIG of sysexits.h). */
export const exitConfig = 78;
