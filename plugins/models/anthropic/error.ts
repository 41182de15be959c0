import { exactly, optional, reply, type Problem, type Reply } from '../../../kernel/index.ts';
import { failureHeaders, failureOf, type Failure, type FailureKind } from '../wire/failures.ts';

const rows: Readonly<Record<FailureKind, readonly [status: number, type: string]>> = {
  invalid: [400, 'invalid_request_error'],
  unauthenticated: [401, 'authentication_error'],
  forbidden: [403, 'permission_error'],
  missing: [404, 'not_found_error'],
  conflict: [409, 'conflict_error'],
  too_large: [413, 'request_too_large'],
  limited: [429, 'rate_limit_error'],
  spent: [429, 'rate_limit_error'],
  failed: [502, 'api_error'],
  unavailable: [529, 'overloaded_error'],
  unrecorded: [503, 'api_error'],
  uncounted: [501, 'api_error'],
  timed_out: [504, 'timeout_error'],
  defect: [500, 'api_error'],
};

/** Schema of an answer that is a failure. */
export const errorSchema = exactly('AnthropicError', {
  type: { const: 'error', description: 'The form' },
  error: {
    description: 'What went wrong',
    ...exactly({
      type: { type: 'string', description: 'Kind of the failure: `invalid_request_error`, `overloaded_error`, …' },
      message: { type: 'string', description: 'What happened and how to fix it' },
      details: {
        description: 'More about it',
        ...exactly({ error_code: { type: 'string', description: 'Code of the problem of the platform' } }),
      },
      orb: optional({
        type: 'object',
        additionalProperties: true,
        description: 'Members of the problem of the HTTP API: `code`, `run_id`, `receipt`, `errors`, `reasons`',
      }),
    }),
  },
  request_id: { type: 'string', description: 'Id of the request' },
});

/** Answers a problem in the form of the Anthropic API. */
export function presentError(problem: Problem): Reply {
  const failure = failureOf(problem);
  return reply({
    status: rows[failure.kind][0],
    headers: failureHeaders(problem, failure, 'anthropic'),
    body: bodyOf(failure),
  });
}

/** Writes the event that ends a stream which failed; its connection is then cut. */
export function errorEvent(problem: Problem): string {
  return `event: error\ndata: ${JSON.stringify(bodyOf(failureOf(problem)))}\n\n`;
}

function bodyOf({ kind, code, message, param, request_id, orb }: Failure): object {
  const told = param === undefined || message.includes(param) ? message : `${param}: ${message}`;
  return {
    type: 'error',
    error: { type: rows[kind][1], message: told, details: { error_code: code }, orb },
    request_id,
  };
}
