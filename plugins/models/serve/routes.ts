import {
  defineRoute,
  exactly,
  optional,
  type JsonSchema,
  type Problem,
  type ProblemForm,
  type Reply,
  type Route,
} from '../../../kernel/index.ts';
import { orbisetParams } from '../../runtime/contract.ts';
import type { Asking } from '../scope.ts';

/** Most bytes of a request: it may hold pictures and documents. */
const bodyLimit = 16 * 1024 * 1024;

/** The Orbiset of the routes below `/v1`. */
export const defaultOrbiset = 'default';

// The SDKs of Anthropic add it to calls of beta features.
const betaQuery = exactly({ beta: optional({ enum: ['true', 'false'], description: 'Ignored' }) });

const runProblems = [
  ...['access_denied', 'approval_required', 'approval_refused', 'approval_expired', 'approval_backlog'],
  ...['orb_not_found', 'orbiset_not_found', 'run_cancelled', 'run_settled', 'idempotency_in_progress'],
  ...['idempotency_mismatch', 'invalid_parameter', 'invalid_inputs', 'provider_rejected', 'provider_failed'],
  ...['definition_changed', 'invalid_provider', 'invalid_outputs', 'provider_unavailable', 'no_provider_allowed'],
  ...['policy_unavailable', 'storage_unavailable', 'overloaded', 'queue_full', 'run_timed_out', 'outcome_unknown'],
  ...['unsupported_parameter', 'unknown_parameter', 'model_not_found'],
] as const;

/** The form of failures of a door. */
export interface DoorForm {
  readonly schema: JsonSchema;
  readonly present: (problem: Problem) => Reply;
}

/** One operation of a door, which stands below `/v1` and below `/orbisets/{id}/v1`. */
export interface DoorOperation {
  /** Without `/v1`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** The Orb that it runs. */
  readonly orb_id: string;
  readonly body: JsonSchema;
  readonly response: JsonSchema;
  /** Answers a stream if the request asks for one. */
  readonly streams?: true;
  readonly form: DoorForm;
  readonly problems?: readonly string[];
  handle(asking: Asking, orbisetId: string): Promise<unknown>;
}

/** The headers in which clients of the doors send their key, in addition to Authorization. */
export const keyHeaders = ['x-api-key', 'api-key'];

const sends = {
  'Idempotent-Replayed': true,
  'RateLimit-Policy': true,
  RateLimit: true,
  'request-id': { description: 'Same as X-Request-Id' },
  'x-orb-run-id': { description: 'Id of the run' },
  'x-orb-provider': { description: 'The provider that answered' },
} as const;

/** Makes the two routes of an operation. */
export function routesOf({
  path,
  operationId,
  orb_id,
  handle,
  form,
  streams,
  ...rest
}: DoorOperation): readonly Route[] {
  const common = {
    ...({
      method: 'POST',
      service: 'runtime',
      scope: 'orbs:execute',
      query: betaQuery,
      bodyLimit,
      keyHeaders,
      reads: ['Idempotency-Key'],
    } as const),
    ...{ summary: rest.summary, body: rest.body, produces: 'application/json', response: rest.response },
    target: () => orb_id,
    problems: [...runProblems, ...(rest.problems ?? [])],
    problemForm: form satisfies ProblemForm,
    // A stream has no headers in the document: code of generators would not compile.
    ...(streams === true
      ? { forms: { 'text/event-stream': { description: 'Server-sent events, if `stream` is true' } } }
      : { sends }),
  };
  return [
    defineRoute({
      ...common,
      ...{ path: `/v1${path}`, operationId },
      handle: (call) => handle(call, defaultOrbiset),
    }),
    defineRoute({
      ...common,
      ...{ path: `/orbisets/{id}/v1${path}`, operationId: `${operationId}InOrbiset`, params: orbisetParams },
      handle: (call) => handle(call, call.params.id),
    }),
  ];
}
