import { exactly, given, optional, timestamp, type Answered, type PluginScope } from '../../../kernel/index.ts';
import { time } from '../status/schema.ts';
import { attributeNames as names, callerSpan, operations, toolOf, traceIdOf } from '../trace-names.ts';
import {
  parseOrbId,
  providerSwapped,
  runSettled,
  type ProviderSwapped,
  type RunSettled,
} from '../../runtime/contract.ts';

/** A run or a swap, kept until its span is read; `at`: ms since 1970 of its end. */
export type Seen =
  | { readonly kind: 'run'; readonly at: number; readonly event: RunSettled }
  | { readonly kind: 'swap'; readonly at: number; readonly event: ProviderSwapped };

/** Form of the id of a W3C trace. */
export const traceId = {
  type: 'string',
  pattern: '^[0-9a-f]{32}$',
  examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
} as const;
const spanId = { type: 'string', pattern: '^[0-9a-f]{16}$' } as const;

/** Schema of one span with its links. */
export const spanSchema = exactly('Span', {
  trace_id: { ...traceId, description: 'Id of the W3C trace' },
  span_id: { ...spanId, description: 'Id of the span' },
  parent_span_id: optional({ ...spanId, description: 'Id of the span of the caller' }),
  name: { type: 'string', description: 'Name of the operation' },
  started_at: { ...time, description: 'When it started' },
  ended_at: { ...time, description: 'When it ended' },
  duration_ms: { type: 'integer', minimum: 0, description: 'Duration in milliseconds' },
  status: { enum: ['ok', 'error'], description: 'Whether it succeeded' },
  attributes: {
    type: 'object',
    description: 'Attributes of the span',
    additionalProperties: { type: ['string', 'number'] },
  },
  links: {
    type: 'array',
    description: 'Related resources',
    items: exactly({
      kind: { enum: ['run', 'receipt', 'incident'], description: 'Kind of resource' },
      id: { type: 'string', description: 'Id of the resource' },
      path: { type: 'string', description: 'Path of the resource' },
    }),
  },
});

/** A link to a run, its receipt or an incident of that time. */
export type SpanLink = Answered<typeof spanSchema>['links'][number];

type Span = Omit<Answered<typeof spanSchema>, 'links'>;

const swapName = 'swap_provider';

/** Makes the span of a run or a swap. */
export function spanOf(seen: Seen): Span {
  return seen.kind === 'run' ? runSpan(seen.event, seen.at) : swapSpan(seen.event, seen.at);
}

/** Returns the trace id: the caller's, else one derived from the run or swap. */
export function traceOf({ kind, event }: Seen): string {
  if (kind === 'run' && event.traceparent !== undefined) return event.traceparent.slice(3, 35);
  return traceIdOf(kind === 'run' ? event.run_id : event.swap_id, 32);
}

function runSpan(event: RunSettled, at: number): Span {
  const { run_id, receipt_id, orb_id, orbiset_id, status, mode, execution_ms, provider, traceparent } = event;
  const name = toolOf(orb_id);
  return {
    trace_id: traceOf({ kind: 'run', at, event }),
    span_id: traceIdOf(run_id, 16),
    ...given({ parent_span_id: callerSpan(traceparent) }),
    name: `${operations.tool} ${name}`,
    ...times(at - execution_ms, at),
    status: status === 'completed' ? 'ok' : 'error',
    attributes: {
      [names.operation]: operations.tool,
      [names.tool]: name,
      [names.orb]: orb_id,
      [names.version]: parseOrbId(orb_id).version,
      [names.orbiset]: orbiset_id,
      [names.run]: run_id,
      [names.receipt]: receipt_id,
      [names.mode]: mode,
      [names.status]: status,
      ...(status === 'completed' ? {} : { [names.error]: status }),
      ...(provider === undefined ? {} : { [names.provider]: provider.name, [names.generation]: provider.generation }),
    },
  };
}

function swapSpan(event: ProviderSwapped, at: number): Span {
  const { swap_id, orb_id, from, to, generation, at: switched } = event;
  return {
    trace_id: traceOf({ kind: 'swap', at, event }),
    span_id: traceIdOf(swap_id, 16),
    name: `${swapName} ${toolOf(orb_id)}`,
    ...times(Date.parse(switched), at),
    status: 'ok',
    attributes: {
      [names.orb]: orb_id,
      [names.swap]: swap_id,
      ...(from === undefined ? {} : { [names.from]: from }),
      [names.provider]: to,
      [names.generation]: generation,
    },
  };
}

function times(from: number, to: number): Pick<Span, 'started_at' | 'ended_at' | 'duration_ms'> {
  const begun = Math.min(from, to);
  return { started_at: timestamp(begun), ended_at: timestamp(to), duration_ms: to - begun };
}

/** A ring buffer of the newest items; the oldest are dropped. */
export type Ring<T> = ReturnType<typeof createRing<T>>;

/** Creates a ring buffer for `most` items; it stores nothing when `most` is 0. */
export function createRing<T>(most: number) {
  const items: T[] = [];
  let next = 0;
  return {
    push(item: T): void {
      if (most === 0) return;
      items[next] = item;
      next = (next + 1) % most;
    },
    /** Reads the items, newest first. */
    *newest(): IterableIterator<T> {
      for (let back = 1; back <= items.length; back++) {
        const item = items[(next - back + items.length) % items.length];
        if (item !== undefined) yield item;
      }
    },
  };
}

/** Keeps the newest runs and swaps. A run costs one reference to its event; `GET /traces` makes the spans. */
export function recordTraces({ hooks, clock }: Pick<PluginScope<unknown, never>, 'hooks' | 'clock'>, most: number) {
  const traces = createRing<Seen>(most);
  hooks.of(runSettled).tap('observability', (event) => traces.push({ kind: 'run', at: clock.now(), event }));
  hooks.of(providerSwapped).tap('observability', (event) => traces.push({ kind: 'swap', at: clock.now(), event }));
  return traces;
}
