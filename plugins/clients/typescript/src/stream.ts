import { isRecord } from '../../../receipts/format/strict-json.ts';
import { orbisetPath } from './ask.ts';
import { eventsOf } from './events.ts';
import { failureOf, ofProblem, type Plain } from './outcome.ts';
import { problemOf, type Problem } from './persist.ts';
import { complete } from './proof.ts';
import { outcomeOf } from './run.ts';
import { sseReader } from './sse.ts';
import type { Json, RunOptions, StreamPart } from './surface.ts';
import { defined } from './verify/object.ts';
import { send, untilOf, type Scope } from './wire.ts';

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
  const { key = '', orbiset, signal } = options;
  const heard = await send(scope, {
    ...{ method: 'POST', path: `${orbisetPath(scope.options, orbiset)}/v1/chat/completions`, stream: true },
    body: { ...inputs, stream: true },
    headers: defined({ accept: 'text/event-stream', 'idempotency-key': options.key }),
    ...untilOf(scope, options),
  });
  const { error } = (heard.json ?? {}) as Chunk;
  const told: Told = { outputs: { text: '' }, problem: error?.orb ?? problemOf(heard) };
  told.runId = heard.headers.get('x-orb-run-id') ?? undefined;
  for await (const { data } of eventsOf(heard, sseReader(), scope, signal)) {
    told.whole = data === '[DONE]';
    if (told.whole) break;
    yield* partsOf(JSON.parse(data) as Chunk, told);
  }
  const isBegun = heard.body !== undefined || told.problem !== undefined;
  const plain = isBegun ? await endOf(scope, told, heard.status, options) : failureOf({ ...heard, doubt: false }, key);
  yield { type: 'outcome', outcome: outcomeOf(scope, plain) };
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

async function endOf(scope: Scope, told: Told, status: number, options: RunOptions): Promise<Plain> {
  const { outputs, problem, receiptId, runId, whole } = told;
  const { key = '' } = options;
  if (problem !== undefined) return ofProblem({ ...problem, run_id: problem['run_id'] ?? runId }, status, key);
  if (whole !== true || runId === undefined || receiptId === undefined)
    return { kind: 'unknown', key, runId, code: 'stream_interrupted' };
  const done = { key, runId, receipt: { receipt_id: receiptId }, outputs, replayed: false };
  return complete(scope, done, { orbId, limits: [notCompared] }, untilOf(scope, options));
}

// The receipt commits to the outputs of the Orb, which a stream has in another form.
const notCompared = 'outputs: not compared: a stream has another form than the outputs of the Orb';
