import { orbisetPath, untilOf, type Scope } from './ask.ts';
import { eventsOf } from './events.ts';
import { isRecord } from '../../../receipts/format/strict-json.ts';
import { defined } from './verify/object.ts';
import { failureOf, ofProblem, outcomeOf, type Plain } from './outcome.ts';
import { problemOf, type Problem } from './persist.ts';
import { complete } from './proof.ts';
import { followRun } from './run.ts';
import { sseReader } from './sse.ts';
import type { Json, Outcome, RunOptions, StreamPart } from './surface.ts';
import { send } from './wire.ts';

const orbId = 'llm.chat@1.0.0';

interface Chunk {
  readonly choices?: readonly { readonly delta?: Json; readonly finish_reason?: string | null }[];
  readonly usage?: Json | null;
  readonly model?: string;
  readonly orb?: { readonly run_id: string; readonly receipt_id: string };
  readonly error?: { readonly orb?: Problem };
}

/** What was heard of a stream. */
interface Told {
  runId?: string | undefined;
  receiptId?: string;
  problem?: Problem | undefined;
  whole?: boolean;
  readonly outputs: Record<string, unknown>;
}

/**
 * Asks a model and yields the parts of its answer, its outcome last. It is asked once: parts that were handed over cannot be
 * taken back.
 */
export async function* stream(scope: Scope, inputs: Json, options: RunOptions = {}): AsyncGenerator<StreamPart> {
  const { wire } = scope;
  const until = untilOf(scope, options);
  const key = options.key ?? '';
  const heard = await send(wire, {
    ...{ method: 'POST', path: `${orbisetPath(scope.options, options.orbiset)}/v1/chat/completions`, stream: true },
    body: { ...inputs, stream: true },
    headers: defined({ accept: 'text/event-stream', 'idempotency-key': options.key }),
    ...{ deadline: until.end, signal: options.signal },
  });
  const told: Told = { outputs: { text: '' } };
  if (heard.kind === 'answered' && heard.body !== undefined) {
    told.runId = heard.headers.get('x-orb-run-id') ?? undefined;
    for await (const { data } of eventsOf(heard, sseReader(), wire)) {
      if (data === '[DONE]') {
        told.whole = true;
        break;
      }
      yield* partsOf(JSON.parse(data) as Chunk, told);
    }
  } else if (heard.kind === 'answered') {
    told.problem = (heard.json as Chunk | undefined)?.error?.orb ?? problemOf(heard);
  }
  const plain =
    heard.kind === 'answered' && (heard.body !== undefined || told.problem !== undefined)
      ? await endOf(scope, told, { key, status: heard.status })
      : failureOf({ heard, doubt: false }, key);
  const settle = async (runId?: string): Promise<Outcome> => followRun(scope, { runId: runId ?? '' });
  yield { type: 'outcome', outcome: outcomeOf(plain, settle) };
}

function* partsOf({ choices = [], error, model, orb, usage }: Chunk, told: Told): Generator<StreamPart> {
  const { outputs } = told;
  if (error?.orb !== undefined) told.problem = error.orb;
  if (orb !== undefined) [told.runId, told.receiptId] = [orb.run_id, orb.receipt_id];
  if (isRecord(usage)) outputs['usage'] = usage;
  if (model !== undefined) outputs['model'] = model;
  for (const { delta = {}, finish_reason: finish } of choices) {
    if (typeof finish === 'string') outputs['finish_reason'] = finish;
    for (const [member, type] of texts) {
      const text = delta[member];
      if (typeof text !== 'string' || text === '') continue;
      if (type === 'text') outputs['text'] = `${String(outputs['text'])}${text}`;
      yield { type, text };
    }
    for (const { function: called = {}, id, index } of (delta['tool_calls'] ?? []) as readonly ToolDelta[]) {
      const { arguments: args = '', name } = called;
      yield defined({ type: 'tool_call' as const, index, arguments: args, id, name });
    }
  }
}

const texts = [
  ['content', 'text'],
  ['refusal', 'refusal'],
  ['reasoning_content', 'reasoning'],
] as const;

interface ToolDelta {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

async function endOf(scope: Scope, told: Told, { key, status }: { key: string; status: number }): Promise<Plain> {
  const { outputs, problem, receiptId, runId, whole } = told;
  if (problem !== undefined)
    return ofProblem({ ...problem, run_id: problem['run_id'] ?? runId }, status, { key, doubt: false });
  if (whole !== true || runId === undefined || receiptId === undefined)
    return { kind: 'unknown', key, runId, code: 'stream_interrupted' };
  const done = { key, runId, receipt: { receipt_id: receiptId }, outputs, replayed: false };
  return complete(scope, done, { orbId, limits: [notCompared] }, untilOf(scope));
}

// The receipt commits to the outputs of the Orb, which a stream has in another form.
const notCompared = 'outputs: not compared: a stream has another form than the outputs of the Orb';
