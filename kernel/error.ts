/**
 * The one table of failures. Every other place names a row; status, title and retryable come from here.
 * Codes are snake_case and never reused.
 */
export const problems = {
  malformed_request: { status: 400, title: 'The request is not valid HTTP', retryable: false },
  malformed_json: { status: 400, title: 'The body is not acceptable JSON', retryable: false },
  invalid_parameter: { status: 400, title: 'A path or query parameter is invalid', retryable: false },
  unauthenticated: { status: 401, title: 'A valid API key is required', retryable: false },
  access_denied: { status: 403, title: 'The policy denied the action', retryable: false },
  insufficient_scope: { status: 403, title: 'The API key lacks the scope', retryable: false },
  tls_required: { status: 403, title: 'API keys are accepted over HTTPS only', retryable: false },
  route_not_found: { status: 404, title: 'There is no such route', retryable: false },
  orb_not_found: { status: 404, title: 'There is no such Orb', retryable: false },
  orbiset_not_found: { status: 404, title: 'There is no such Orbiset', retryable: false },
  run_not_found: { status: 404, title: 'There is no such run', retryable: false },
  receipt_not_found: { status: 404, title: 'There is no such receipt', retryable: false },
  swap_not_found: { status: 404, title: 'There is no such swap', retryable: false },
  policy_not_found: { status: 404, title: 'There is no such policy', retryable: false },
  revision_not_found: { status: 404, title: 'There is no such policy revision', retryable: false },
  decision_not_found: { status: 404, title: 'There is no such decision', retryable: false },
  key_not_found: { status: 404, title: 'There is no such key', retryable: false },
  source_not_found: { status: 404, title: 'There is no such source', retryable: false },
  incident_not_found: { status: 404, title: 'There is no such incident', retryable: false },
  maintenance_not_found: { status: 404, title: 'There is no such maintenance window', retryable: false },
  delivery_not_found: { status: 404, title: 'There is no such delivery', retryable: false },
  principal_not_found: { status: 404, title: 'There is no such principal', retryable: false },
  namespace_not_found: { status: 404, title: 'There is no such namespace', retryable: false },
  listing_not_found: { status: 404, title: 'The marketplace has no such Orb', retryable: false },
  certificate_not_issued: { status: 404, title: 'The Orb has never had a certificate', retryable: false },
  certificate_not_found: { status: 404, title: 'There is no such certificate or status list', retryable: false },
  method_not_allowed: { status: 405, title: 'The route does not support the method', retryable: false },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retryable: true },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with the Idempotency-Key is still running',
    retryable: true,
  },
  resolution_conflict: { status: 409, title: 'The run cannot be resolved so', retryable: false },
  standing_conflict: { status: 409, title: 'The Orb stands so already', retryable: false },
  swap_in_progress: { status: 409, title: 'Another swap of the Orb is under way', retryable: true },
  defined_in_file: { status: 409, title: 'A file defines the manifest', retryable: false },
  manifest_used: { status: 409, title: 'The manifest was used and does not change', retryable: false },
  manifest_limit: { status: 409, title: 'No more manifests are kept', retryable: false },
  orbiset_exists: { status: 409, title: 'The id of the Orbiset is taken', retryable: false },
  runs_open: { status: 409, title: 'Runs are under way', retryable: true },
  version_published: { status: 409, title: 'The version is published and does not change', retryable: false },
  listing_final: { status: 409, title: 'The listing is yanked or removed for good', retryable: false },
  policies_read_only: { status: 409, title: 'The policies folder is read-only', retryable: false },
  signing_key_conflict: { status: 409, title: 'The signing key cannot be changed so', retryable: false },
  last_admin_key: { status: 409, title: 'The last live admin key stays', retryable: false },
  incident_conflict: { status: 409, title: 'The incident cannot be changed so', retryable: false },
  integrity_incident: { status: 409, title: 'Only the auditor closes an integrity incident', retryable: false },
  secret_limit: { status: 409, title: 'A source has one to three secrets', retryable: false },
  delivery_not_replayable: { status: 409, title: 'The delivery cannot be replayed', retryable: false },
  run_cancelled: { status: 409, title: 'The run was cancelled before dispatch', retryable: true },
  precondition_failed: { status: 412, title: 'The precondition does not hold', retryable: false },
  payload_too_large: { status: 413, title: 'The body is too large', retryable: false },
  unsupported_media_type: { status: 415, title: 'The media type or encoding is not supported', retryable: false },
  invalid_body: { status: 422, title: 'The body does not fit the schema', retryable: false },
  invalid_inputs: { status: 422, title: "The inputs do not fit the Orb's schema", retryable: false },
  provider_rejected: { status: 422, title: 'The provider rejected the request', retryable: false },
  invalid_provider: { status: 422, title: 'The provider cannot serve the Orb', retryable: false },
  idempotency_mismatch: {
    status: 422,
    title: 'The Idempotency-Key was used with another body',
    retryable: false,
  },
  listing_invalid: { status: 422, title: 'The listing breaks rules of the marketplace', retryable: false },
  policy_invalid: { status: 422, title: 'The policies have faults', retryable: false },
  invalid_configuration: { status: 422, title: 'The configuration has faults', retryable: false },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true },
  header_fields_too_large: { status: 431, title: 'The request header is too large', retryable: false },
  unsupported_coding: { status: 501, title: 'Transfer-Encoding not supported', retryable: false },
  internal: { status: 500, title: 'The service has a defect', retryable: false },
  provider_failed: { status: 502, title: 'The provider failed', retryable: true },
  invalid_outputs: { status: 502, title: "The provider's outputs break the Orb's schema", retryable: false },
  probe_failed: { status: 502, title: 'The new provider could not be opened or failed its probe', retryable: true },
  provider_unavailable: { status: 503, title: 'No provider could be reached', retryable: true },
  no_provider_allowed: { status: 503, title: 'No provider is allowed to serve the run', retryable: false },
  policy_unavailable: { status: 503, title: 'The policy engine cannot decide', retryable: true },
  policy_compiler_unavailable: { status: 503, title: 'There is no policy compiler', retryable: true },
  storage_unavailable: { status: 503, title: 'The store cannot record the result', retryable: true },
  overloaded: { status: 503, title: 'Too much work is waiting', retryable: true },
  draining: { status: 503, title: 'The service is shutting down', retryable: true },
  run_timed_out: { status: 504, title: 'The run exceeded its deadline', retryable: true },
  outcome_unknown: { status: 504, title: 'The outcome of the run is unknown', retryable: false },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

/** Names one row of the problem table. */
export type ProblemCode = keyof typeof problems;

/** Points at one invalid value: JSON Pointer as a URI fragment (`#/inputs/to`, RFC 9457 §3) and what to do. */
export interface Fault {
  pointer: string;
  detail: string;
}

/** Members of a problem beyond the table's: sent to the caller as they are, so they hold no secret. */
export interface ProblemExtensions {
  errors?: readonly Fault[];
  /** Seconds; also sent as the header Retry-After. */
  retry_after?: number;
  run_id?: string;
  /** How the run ended; the member `status` is the number of HTTP. */
  run_status?: string;
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

/** Fails a request with one row of the problem table; `detail` says how to fix it and holds no secret. */
export class PlatformError extends Error {
  readonly code: ProblemCode;
  readonly extensions: ProblemExtensions;

  constructor(code: ProblemCode, detail?: string, extensions: ProblemExtensions = {}, options?: ErrorOptions) {
    super(detail ?? problems[code].title, options);
    this.name = 'PlatformError';
    this.code = code;
    this.extensions = extensions;
  }
}

/** What an adapter may say of a call that was not accepted (the outcome table). */
export type FailureOutcome = 'rejected' | 'provider_fault' | 'not_sent' | 'throttled' | 'unknown';

/** Detail of a ProviderError: `phase` says where it happened, `retry_after` is in seconds. */
export interface ProviderErrorOptions extends ErrorOptions {
  phase?: string;
  retry_after?: number;
}

/**
 * Tells, from an adapter, what is known of one call. Holds exactly one outcome and no HTTP.
 * `message` reaches the caller of the run: no secret, no host's internals.
 */
export class ProviderError extends Error {
  readonly outcome: FailureOutcome;
  /** Where it happened (`connect`, `response`, …); an `unknown` says it. */
  readonly phase: string | undefined;
  /** Seconds; a `throttled` says it. */
  readonly retry_after: number | undefined;

  constructor(outcome: FailureOutcome, message: string, options: ProviderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.outcome = outcome;
    this.phase = options.phase;
    this.retry_after = options.retry_after;
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
