import { replayed } from '../journal/answer.ts';
import { idempotencyKey } from '../journal/once.ts';
import type { Asked } from './request.ts';
import type { RunQueue, Submitted } from './queue.ts';
import { queuedState } from './run-state.ts';
import type { Execute, ExecuteCall } from '../run/execute.ts';
import { ApprovalRequired } from '../run/held.ts';
import { modeRule } from '../outcome/outcome.ts';
import { executionResult } from '../facts/facts.ts';
import { inputFaults, unfitMember } from '../catalog/invalid-inputs.ts';
import {
  type Fault,
  defineRoute,
  reply,
  type Route,
  exactly,
  optional,
  type Infer,
  type HeldKind,
  type Principal,
  type RequestInfo,
  type Reply,
} from '../../../kernel/index.ts';
import type { OtherAnswer } from '../../../kernel/runner.ts';
import { asked, runSchema, sandbox } from '../run/run-routes.ts';

const slug = { type: 'string', maxLength: 64 } as const;

const time = { type: 'string', format: 'date-time' } as const;

const executeRequest = exactly('ExecuteRequest', {
  ...asked,
  repeat_guard: optional({
    type: 'boolean',
    description: 'Without a key: repeat the same call to get its answer if it was lost. Default: false',
  }),
  disclose: optional({
    type: 'boolean',
    description: 'Return the salts that open the commitments of the receipt. Default: false',
  }),
  sandbox,
  hold: optional({
    enum: ['wait', 'refuse'],
    description: 'If people must approve the run: hold it for them, or deny it. Default: wait',
  }),
  mode: optional({ enum: ['async'], description: 'Same as `Prefer: respond-async`' }),
  run_at: optional({ ...time, description: 'Earliest start of an asynchronous run, within 30 days' }),
  expires_in_s: optional({
    type: 'integer',
    minimum: 1,
    maximum: 86_400,
    description: 'How long it may wait after that, in seconds. Default: 3600',
  }),
  callback: optional({
    ...exactly({
      subscription_id: { ...slug, description: 'Id of a subscription of the same Orbiset, whatever its event types' },
    }),
    description: 'Also notify this subscription when an asynchronous run ends',
  }),
});

/** The problems of a run. */
export const executeProblems = [
  'access_denied',
  'approval_required',
  'approval_refused',
  'approval_expired',
  'approval_backlog',
  'orb_not_found',
  'orbiset_not_found',
  'run_cancelled',
  'run_settled',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'invalid_inputs',
  'provider_rejected',
  'provider_failed',
  'stream_interrupted',
  'caller_gone',
  'definition_changed',
  'invalid_provider',
  'invalid_outputs',
  'provider_unavailable',
  'no_provider_allowed',
  'policy_unavailable',
  'storage_unavailable',
  'overloaded',
  'queue_full',
  'run_timed_out',
  'outcome_unknown',
] as const;

type Body = Infer<typeof executeRequest>;

// `mode` of keys and receipts has other words.
function modeFaults({ mode }: Readonly<Record<string, unknown>>): readonly Fault[] {
  if (mode === undefined || mode === 'async') return [];
  return [
    {
      pointer: '#/mode',
      detail: `must be "async", or absent for a run that is answered when it ends. Whether it is live or sandbox is decided otherwise: ${modeRule}`,
    },
  ];
}

/** Answers `POST /orbisets/{id}/execute`. */
export function executeRoute(execute: Execute, queue: RunQueue, scope: Parameters<typeof inputFaults>[2]): Route {
  return defineRoute({
    method: 'POST',
    path: '/orbisets/{id}/execute',
    operationId: 'executeOrb',
    service: 'runtime',
    scope: 'orbs:execute',
    target: ({ body }) => body.orb_id,
    summary: 'Execute an Orb inside an Orbiset',
    reads: ['Idempotency-Key', 'Prefer'],
    params: exactly({ id: { ...slug, description: 'Id of the Orbiset' } }),
    body: executeRequest,
    bodyFaults: (body, caller) => [...modeFaults(body), ...inputFaults(body, caller, scope)],
    response: executionResult,
    answers: { 202: queuedAnswer },
    sends: { 'Idempotent-Replayed': true, 'RateLimit-Policy': true, RateLimit: true },
    problems: executeProblems,
    handle: async (request) => {
      const { headers } = request;
      const key = idempotencyKey(headers['idempotency-key']);
      const call = callOf(request);
      const asked = askedOf(headers['prefer'], request.body);
      if (asked !== undefined) {
        // A preference need not be followed: beyond its waits the caller gets its 202 at once.
        const needed = asked.waitMs > 0 ? request.hold(waits) : undefined;
        const followed = needed === undefined ? withoutWait(asked) : asked;
        const ends = [request.disconnected, request.draining, ...(needed === undefined ? [] : [needed])];
        return submittedReply(await queue.submit(call, key, followed, ends), followed, queue);
      }
      try {
        const { answer, replayed: again } = await execute(call, key);
        return again ? reply({ body: answer, headers: replayed }) : answer;
      } catch (error) {
        const held = await heldOf(error, { call, key, queue });
        if (held === undefined) throw error;
        return submittedReply(held, atOnce, queue);
      }
    },
  });
}

interface Asking extends RequestInfo {
  readonly params: { readonly id: string };
  readonly body: Body;
  readonly principal: Principal;
}

// With the same members for all requests: V8 copies it fast then.
function callOf(request: Asking): ExecuteCall {
  const { body, client_ip, traceparent, principal } = request;
  return {
    orbiset_id: request.params.id,
    orb_id: body.orb_id,
    inputs: body.inputs,
    delivery: body.delivery,
    timeout_ms: body.timeout_ms,
    disclose: body.disclose,
    sandbox: body.sandbox,
    hold: body.hold,
    callback: body.callback,
    principal,
    client_ip,
    traceparent,
    limited: request.addHeaders,
    repeat: body.repeat_guard === true ? { name: body.orb_id, carrier: () => request.onDelivered } : undefined,
  };
}

// The answer to a run that was put into the queue.
const queuedAnswer: OtherAnswer = {
  description: 'The run is queued, or held until people have approved it',
  type: 'application/json',
  schema: runSchema,
  sends: { Location: true, 'Preference-Applied': true, 'Retry-After': true },
};

const longestRetryS = 3600;

const atOnce: Asked = Object.freeze({ waitMs: 0, applied: '' });

// A run that people must approve waits for them in the queue, once per key.
async function heldOf(
  error: unknown,
  { call, key, queue }: { readonly call: ExecuteCall; readonly key: string | undefined; readonly queue: RunQueue },
): Promise<Submitted | undefined> {
  if (error instanceof ApprovalRequired) return queue.submit({ ...call, admitted: true }, key, atOnce, []);
  const run = key === undefined ? undefined : await queue.underWay(error);
  return run?.state === 'held' ? { run, replayed: true } : undefined;
}

// Answers a run that was put into the queue, or has ended already.
async function submittedReply(submitted: Submitted, { applied }: Asked, queue: RunQueue): Promise<Reply> {
  const preference: Readonly<Record<string, string>> = applied === '' ? {} : { 'Preference-Applied': applied };
  if ('answer' in submitted)
    return reply({ body: submitted.answer, headers: { ...preference, ...(submitted.replayed ? replayed : {}) } });
  const { run, position } = submitted;
  const waitsS = Math.ceil((run.run_at - run.accepted_at) / 1000);
  const retry = String(Math.min(longestRetryS, Math.max(1, waitsS)));
  return reply({
    status: 202,
    headers: { Location: `/runs/${run.run_id}`, ...preference, 'Retry-After': retry },
    body: await queuedState(run, queue, position),
  });
}

// The members of a body that are about waiting.
type AskedBody = Pick<Body, 'mode' | 'repeat_guard' | (typeof ofLater)[number]>;

/** Requests that wait for the end of a run. */
export const waits: HeldKind = { name: 'wait', most: 64, brief: true };

/** Makes the same request without a wait. */
export function withoutWait(asked: Asked): Asked {
  return { ...asked, waitMs: 0, applied: 'respond-async' };
}

/** The longest wait for the end of a run in one request, seconds. */
export const longestWaitS = 60;

/**
 * Reads whether a run is to wait for its turn: by the header Prefer (RFC 7240) or the body. Undefined: it is to be served
 * now. Throws 422 `invalid_body` for members that do not go together.
 */
export function askedOf(header: string | string[] | undefined, body: AskedBody): Asked | undefined {
  const preferences = header === undefined ? undefined : preferencesOf([header].flat().join(','));
  if (body.mode !== 'async' && preferences?.has('respond-async') !== true) {
    for (const name of ofLater) if (body[name] !== undefined) throw unfitMember(name, 'is for `mode: "async"`');
    return undefined;
  }
  if (body.repeat_guard === true) throw unfitMember('repeat_guard', 'is for calls that wait; send an Idempotency-Key');
  const wait = /^\d{1,6}$/.exec(preferences?.get('wait') ?? '')?.[0];
  const waitS = Math.min(longestWaitS, Number(wait ?? 0));
  return {
    waitMs: waitS * 1000,
    applied: waitS > 0 ? `respond-async, wait=${waitS}` : 'respond-async',
    run_at: body.run_at,
    expires_in_s: body.expires_in_s,
  };
}

const ofLater = ['run_at', 'expires_in_s', 'callback'] as const;

function preferencesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const one of text.split(',')) {
    const [name = '', value = ''] = (one.split(';')[0] ?? '').split('=').map((part) => part.trim());
    // The first of a name counts (RFC 7240 §2).
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value.replace(/^"(.*)"$/, '$1'));
  }
  return found;
}
