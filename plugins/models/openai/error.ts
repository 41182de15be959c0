import { exactly, optional, reply, type Problem, type Reply } from '../../../kernel/index.ts';
import { failureHeaders, failureOf, type Failure, type FailureKind } from '../wire/failures.ts';

const invalid = 'invalid_request_error';

// Status, type, and the code if it is not the one of the problem.
const rows: Readonly<Record<FailureKind, readonly [status: number, type: string, code?: string]>> = {
  invalid: [400, invalid],
  unauthenticated: [401, invalid, 'invalid_api_key'],
  forbidden: [403, invalid],
  missing: [404, invalid],
  conflict: [409, invalid],
  too_large: [413, invalid],
  limited: [429, 'rate_limit_error', 'rate_limit_exceeded'],
  spent: [429, 'insufficient_quota', 'insufficient_quota'],
  failed: [502, 'server_error'],
  unavailable: [503, 'service_unavailable_error'],
  unrecorded: [503, 'service_unavailable_error'],
  uncounted: [501, 'server_error'],
  timed_out: [504, 'server_error'],
  defect: [500, 'server_error'],
};

/** Schema of an answer that is a failure. */
export const errorSchema = exactly('OpenAiError', {
  error: {
    description: 'What went wrong',
    ...exactly({
      message: { type: 'string', description: 'What happened and how to fix it' },
      type: { type: 'string', description: 'Kind of the failure: `invalid_request_error`, `rate_limit_error`, …' },
      param: { type: ['string', 'null'], description: 'The parameter that is wrong: `messages[0].content`' },
      code: { type: ['string', 'null'], description: 'Code of the problem, as this API or the platform names it' },
      orb: optional({
        type: 'object',
        additionalProperties: true,
        description: 'Members of the problem of the HTTP API: `code`, `run_id`, `receipt`, `errors`, `reasons`',
      }),
    }),
  },
});

/** Answers a problem in the form of the OpenAI API. */
export function presentError(problem: Problem): Reply {
  const failure = failureOf(problem);
  return reply({
    status: rows[failure.kind][0],
    headers: failureHeaders(problem, failure, 'openai'),
    body: bodyOf(failure),
  });
}

/** Writes the event that ends a stream which failed; its connection is then cut. */
export function errorEvent(problem: Problem): string {
  return `data: ${JSON.stringify(bodyOf(failureOf(problem)))}\n\n`;
}

function bodyOf({ kind, code, message, param, orb }: Failure): object {
  const [, type, own = isTooLong(message) ? 'context_length_exceeded' : code] = rows[kind];
  return { error: { message, type, param: param ?? null, code: own, orb } };
}

// Adapters name the vendor's word for it in their message.
const isTooLong = (message: string): boolean => message.includes('context_length_exceeded)');
