import { defineRoute, reply, type Route } from '../../http/route.ts';
import { exactly, optional } from '../../tools/schema.ts';
import { replayed } from '../journal/answer.ts';
import { idempotencyKey } from '../journal/keys.ts';
import type { Execute } from './execute.ts';
import { openingSchema } from '../../http/problem.ts';
import { receiptSummary } from './receipt-summary.ts';
import { orbId } from '../catalog/orb-id.ts';

const slug = { type: 'string', maxLength: 64 } as const;

const executeRequest = exactly('ExecuteRequest', {
  orb_id: { ...orbId, description: 'The Orb to run' },
  inputs: { type: 'object', description: "Fits the Orb's inputs_schema" },
  delivery: optional({ enum: ['at_most_once', 'at_least_once'], description: 'Default: at_most_once' }),
  timeout_ms: optional({ type: 'integer', minimum: 1, maximum: 600_000, description: "At most the Orb's own" }),
  repeat_guard: optional({
    type: 'boolean',
    description: 'Without a key: repeat the same call to get its answer, if that was lost. Default: false',
  }),
  disclose: optional({ type: 'boolean', description: 'Answer the opening of the receipt. Default: false' }),
});

/** Schema of the answer to a completed run. */
export const executionResult = exactly('ExecutionResult', {
  run_id: { type: 'string', pattern: '^run_', description: 'Id of the run' },
  status: { const: 'completed', description: 'The run completed' },
  outputs: { type: 'object', description: "Fits the Orb's outputs_schema" },
  receipt: { ...receiptSummary, description: 'Summary of the receipt of the run' },
  execution_ms: { type: 'integer', minimum: 0, description: 'How long it took, milliseconds' },
  opening: optional(openingSchema),
});

/** Answers `POST /orbisets/{id}/execute`. */
export function executeRoute(execute: Execute): Route {
  return defineRoute({
    method: 'POST',
    path: '/orbisets/{id}/execute',
    operationId: 'executeOrb',
    service: 'runtime',
    scope: 'orbs:execute',
    target: ({ body }) => body.orb_id,
    summary: 'Execute an Orb inside an Orbiset',
    reads: ['Idempotency-Key'],
    params: exactly({ id: { ...slug, description: 'Id of the Orbiset' } }),
    body: executeRequest,
    response: executionResult,
    sends: { 'Idempotent-Replayed': true, 'RateLimit-Policy': true, RateLimit: true },
    problems: [
      'access_denied',
      'orb_not_found',
      'orbiset_not_found',
      'run_cancelled',
      'run_settled',
      'idempotency_in_progress',
      'idempotency_mismatch',
      'invalid_inputs',
      'provider_rejected',
      'provider_failed',
      'definition_changed',
      'invalid_provider',
      'invalid_outputs',
      'provider_unavailable',
      'no_provider_allowed',
      'policy_unavailable',
      'storage_unavailable',
      'overloaded',
      'run_timed_out',
      'outcome_unknown',
    ],
    handle: async (request) => {
      const { params, principal, client_ip, headers, traceparent, addHeaders: limited } = request;
      const { repeat_guard, ...body } = request.body;
      const key = idempotencyKey(headers['idempotency-key']);
      const repeat = repeat_guard === true ? { name: body.orb_id, carrier: () => request.onDelivered } : undefined;
      const call = { ...body, orbiset_id: params.id, principal, client_ip, traceparent, limited, repeat };
      const { answer, replayed: again } = await execute(call, key);
      return again ? reply({ body: answer, headers: replayed }) : answer;
    },
  });
}
