import { given, type Problem } from '../../../kernel/index.ts';
import { paramOf } from './member.ts';
import { rateHeaders, requestRate, type RateForm } from './rates.ts';

/** The kinds of failures that the doors tell apart. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'too_large'
  | 'limited'
  | 'spent'
  | 'failed'
  | 'unavailable'
  | 'unrecorded'
  | 'uncounted'
  | 'timed_out'
  | 'defect';

// Those whose status alone does not tell the kind.
const kinds: Readonly<Record<string, FailureKind>> = {
  idempotency_mismatch: 'invalid',
  budget_exhausted: 'spent',
  token_count_unavailable: 'uncounted',
  stream_interrupted: 'failed',
  outcome_unknown: 'failed',
  policy_unavailable: 'unrecorded',
  storage_unavailable: 'unrecorded',
};

const byStatus: Readonly<Record<number, FailureKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'missing',
  408: 'conflict',
  409: 'conflict',
  413: 'too_large',
  429: 'limited',
  500: 'defect',
  502: 'failed',
  503: 'unavailable',
  504: 'timed_out',
};

/** What a door tells of a failure. */
export interface Failure {
  readonly kind: FailureKind;
  /** Code of the problem of the HTTP API. */
  readonly code: string;
  readonly message: string;
  /** The parameter that is wrong, as the doors name it. */
  readonly param: string | undefined;
  readonly request_id: string;
  /** Whether the same request may succeed, and costs nothing twice. */
  readonly repeat: boolean;
  /** The members of the problem that the APIs of vendors have no name for. */
  readonly orb: object;
}

interface Members {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly request_id?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  readonly [member: string]: unknown;
}

const beside = new Set(['type', 'title', 'status', 'detail', 'request_id', 'retryable']);

/** Reads a problem of the HTTP API as the doors tell it. */
export function failureOf({ status, headers, body }: Problem): Failure {
  const members = body as Members;
  const { code = 'internal', title = '', detail = title, request_id = '', errors } = members;
  const kind = kinds[code] ?? byStatus[status] ?? 'invalid';
  const pointer = errors?.[0]?.pointer;
  return {
    ...{ kind, code, request_id, message: kind === 'defect' ? `a defect, request ${request_id}` : detail },
    param: pointer === undefined ? undefined : paramOf(pointer.replace(/^#\/inputs\//, '#/')),
    repeat: headers['X-Should-Retry'] === 'true' && (kind === 'failed' ? isFree(headers) : !once.has(kind)),
    orb: Object.fromEntries(Object.entries(members).filter(([name]) => !beside.has(name))),
  };
}

// The provider may bill the call that failed: a repetition would be paid a second time.
const isFree = (headers: Problem['headers']): boolean => headers['x-orb-billed'] === 'no';

// A repetition is no use, or may be paid a second time.
const once: ReadonlySet<FailureKind> = new Set(['invalid', 'spent', 'timed_out']);

/** Stock clients ignore a longer wait, and some give up because of it. */
const longestRetryS = 60;

/** Makes the headers of an answer that is a failure. */
export function failureHeaders({ headers }: Problem, { kind, repeat, request_id, orb }: Failure, form: RateForm) {
  const told = headers['Retry-After'];
  const after = told ?? (repeat && waiting.has(kind) ? '1' : undefined);
  const run_id = 'run_id' in orb ? String(orb.run_id) : undefined;
  const rate = requestRate(headers);
  return {
    ...headers,
    ...(rate === undefined ? {} : rateHeaders(form, 'requests', rate)),
    'X-Should-Retry': String(repeat),
    ...given({ 'Retry-After': after && String(Math.min(longestRetryS, Number(after))) }),
    'request-id': request_id,
    ...given({ 'x-orb-run-id': run_id }),
  };
}

const waiting: ReadonlySet<FailureKind> = new Set(['conflict', 'limited', 'unavailable', 'unrecorded']);
