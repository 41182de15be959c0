import { given } from '../../kernel/index.ts';
import {
  attributeNames as names,
  callerSpan,
  operations,
  spanEvents,
  toolOf,
  traceIdOf,
} from '../observability/contract.ts';
import {
  parseOrbId,
  type Attempt,
  type ProviderSwapped,
  type TracedCall,
  type TracedRun,
} from '../runtime/contract.ts';

/** A span to be exported; times in milliseconds since the Unix epoch. */
export interface SpanData {
  readonly span_id: string;
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Ended with an error. */
  readonly failed: boolean;
  readonly events: readonly {
    readonly name: string;
    readonly at: number;
    readonly attributes?: Readonly<Record<string, string>>;
  }[];
  readonly children: readonly SpanData[];
}

/** A trace to be exported: its own span, below that of the caller if there is one. */
export interface TraceData {
  readonly trace_id: string;
  readonly parent?: { readonly span_id: string; readonly sampled: boolean };
  readonly span: SpanData;
}

/** Finds the trace of a run, and the span of its caller. */
export function placeOf(run: {
  readonly run_id: string;
  readonly traceparent?: string | undefined;
}): Pick<TraceData, 'parent' | 'trace_id'> {
  const { run_id, traceparent } = run;
  const span_id = callerSpan(traceparent);
  if (span_id === undefined || traceparent === undefined)
    return { trace_id: traceparent?.slice(3, 35) ?? traceIdOf(run_id, 32) };
  // W3C trace context: the lowest bit of the flags.
  const sampled = (Number.parseInt(traceparent.slice(53, 55), 16) & 1) === 1;
  return { trace_id: traceparent.slice(3, 35), parent: { span_id, sampled } };
}

/** Makes the span of a run, with one of each attempt below it. No text of a caller or of a vendor is in it. */
export function runSpan(run: TracedRun, attestedAt: number): SpanData {
  const { accepted_at, attempts, channel, code, decided, event } = run;
  const { execution_ms, orb_id, provider, receipt_id, run_id, status } = event;
  const to = accepted_at + execution_ms;
  const failed = status !== 'completed';
  const receipt = { [names.receipt]: receipt_id };
  return {
    ...{ span_id: traceIdOf(run_id, 16), from: accepted_at, to, failed },
    ...kindOf(run),
    attributes: {
      ...operationOf(run),
      [names.orb]: orb_id,
      [names.version]: parseOrbId(orb_id).version,
      [names.orbiset]: event.orbiset_id,
      [names.run]: run_id,
      ...receipt,
      [names.mode]: event.mode,
      [names.status]: status,
      [names.attempts]: attempts.length,
      ...given({
        [names.channel]: channel?.kind,
        [names.provider]: provider?.name,
        [names.generation]: provider?.generation,
        [names.error]: failed ? (code ?? status) : undefined,
      }),
    },
    events: [
      ...(decided === undefined ? [] : [{ name: spanEvents.decided, at: accepted_at + decided }]),
      { name: spanEvents.receipt, at: Math.max(to, attestedAt), attributes: receipt },
    ],
    children: attempts.map((attempt, place) =>
      attemptSpan(run, attempt, { place, call: run.calls[place - (attempts.length - run.calls.length)] }),
    ),
  };
}

interface Placed {
  readonly place: number;
  readonly call: TracedCall | undefined;
}

function attemptSpan(run: TracedRun, attempt: Attempt, { place, call }: Placed): SpanData {
  const { accepted_at, event, upstream } = run;
  const from = accepted_at + (call?.at ?? 0);
  const failed = attempt.outcome !== 'accepted';
  const chat = modelOf(run);
  const phase = attempt.phase === undefined || !isWord.test(attempt.phase) ? undefined : attempt.phase;
  return {
    span_id: call?.traceparent.slice(36, 52) ?? traceIdOf(`${event.run_id}/${place}`, 16),
    name:
      upstream === undefined ? (chat?.name ?? `call ${attempt.provider}`) : `${operations.mcpTool} ${upstream.tool}`,
    ...{ kind: 'client', from, to: from + attempt.latency_ms, failed, events: [], children: [] },
    attributes: {
      ...(upstream === undefined ? {} : toolNames(upstream.tool, upstream.protocol)),
      ...chat?.attributes,
      ...(chat === undefined ? {} : { [names.vendor]: vendorOf(attempt.adapter) }),
      // The count is that of the answer.
      ...(chat !== undefined && !failed ? tokensOf(run) : {}),
      [names.run]: event.run_id,
      [names.orb]: event.orb_id,
      [names.provider]: attempt.provider,
      [names.adapter]: attempt.adapter,
      [names.generation]: attempt.generation,
      [names.attempt]: place + 1,
      [names.outcome]: attempt.outcome,
      ...given({
        [names.phase]: phase,
        [names.error]: failed ? (attempt.reason ?? phase ?? attempt.outcome) : undefined,
      }),
    },
  };
}

// Adapters from outside the tree may write any text.
const isWord = /^[a-z][a-z_]{0,31}$/;

function kindOf(run: TracedRun): Pick<SpanData, 'kind' | 'name'> {
  const { channel, event } = run;
  const tool = toolOf(event.orb_id);
  if (channel?.kind === 'mcp') return { kind: 'server', name: `${operations.mcpTool} ${tool}` };
  const name = modelOf(run)?.name ?? `${operations.tool} ${tool}`;
  return { kind: channel?.kind === 'schedule' ? 'internal' : 'server', name };
}

function operationOf(run: TracedRun): SpanData['attributes'] {
  const { channel, event } = run;
  const chat = modelOf(run);
  if (chat !== undefined) return { ...chat.attributes, ...tokensOf(run) };
  const tool = toolOf(event.orb_id);
  if (channel?.kind === 'mcp') return toolNames(tool, channel.protocol);
  return { [names.operation]: operations.tool, [names.tool]: tool };
}

const revision = /^\d{4}-\d{2}-\d{2}$/;

function toolNames(tool: string, protocol: string | undefined): SpanData['attributes'] {
  return {
    [names.operation]: operations.tool,
    [names.tool]: tool,
    [names.mcpMethod]: operations.mcpTool,
    ...(protocol !== undefined && revision.test(protocol) ? { [names.mcpProtocol]: protocol } : {}),
  };
}

// Callers may name any model, and vendors answer any text: a name is shown if the settings of the provider list it, and
// the answered one if it is that name with a date.
function modelOf({ event, listed, metered }: TracedRun) {
  if (metered === undefined) return undefined;
  const operation = toolOf(event.orb_id).endsWith('.embed') ? operations.embed : operations.chat;
  const { sent, answered } = (listed ? metered.model : undefined) ?? {};
  const same =
    sent !== undefined &&
    answered?.startsWith(sent) === true &&
    /^(?:-[\d-]{1,16})?$/.test(answered.slice(sent.length));
  return {
    name: sent === undefined ? operation : `${operation} ${sent}`,
    attributes: {
      [names.operation]: operation,
      ...given({ [names.requestModel]: sent, [names.responseModel]: same ? answered : undefined }),
    },
  };
}

function tokensOf({ metered }: TracedRun): SpanData['attributes'] {
  const { input_tokens, output_tokens, cache_read_tokens, reasoning_tokens } = metered?.usage ?? {};
  return given({
    [names.inputTokens]: input_tokens,
    [names.outputTokens]: output_tokens,
    [names.cacheReadTokens]: cache_read_tokens,
    [names.reasoningTokens]: reasoning_tokens,
  });
}

// Well-known values of `gen_ai.provider.name`, by the protocol that the adapter speaks.
const vendors: Readonly<Record<string, string>> = { 'llm/anthropic': 'anthropic', 'llm/openai-compatible': 'openai' };

function vendorOf(adapter: string): string {
  return vendors[adapter] ?? adapter.slice(adapter.indexOf('/') + 1);
}

/** Makes the trace of a swap. */
export function traceOfSwap({ at, from, generation, orb_id, swap_id, to }: ProviderSwapped, now: number): TraceData {
  const begun = Math.min(Date.parse(at), now);
  return {
    trace_id: traceIdOf(swap_id, 32),
    span: {
      ...{ span_id: traceIdOf(swap_id, 16), name: `swap_provider ${toolOf(orb_id)}`, kind: 'internal' },
      ...{ from: begun, to: now, failed: false, events: [], children: [] },
      attributes: {
        [names.orb]: orb_id,
        [names.swap]: swap_id,
        [names.provider]: to,
        [names.generation]: generation,
        ...given({ [names.from]: from }),
      },
    },
  };
}
