import { createHash } from 'node:crypto';
import { parseOrbId, timestamp, type ProviderSwapped, type RunSettled } from '../../../kernel/index.ts';
import { attributeNames as names, runOperation, swapName } from './names.ts';

/** What is kept of a run or a swap until somebody asks; `at`: ms since 1970 of its end. */
export type Seen =
  | { readonly kind: 'run'; readonly at: number; readonly event: RunSettled }
  | { readonly kind: 'swap'; readonly at: number; readonly event: ProviderSwapped };

/** One span as it is shown. */
export interface Span {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly name: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly duration_ms: number;
  readonly status: 'ok' | 'error';
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Makes the span of what was seen. */
export function spanOf(seen: Seen): Span {
  return seen.kind === 'run' ? runSpan(seen.event, seen.at) : swapSpan(seen.event, seen.at);
}

/** Says which trace something belongs to: the caller's, or one of its own. */
export function traceOf({ kind, event }: Seen): string {
  if (kind === 'run' && event.traceparent !== undefined) return event.traceparent.slice(3, 35);
  return hash(kind === 'run' ? event.run_id : event.swap_id, 32);
}

function runSpan(event: RunSettled, at: number): Span {
  const { run_id, receipt_id, orb_id, orbiset_id, status, mode, execution_ms, provider, traceparent } = event;
  const name = toolOf(orb_id);
  return {
    trace_id: traceOf({ kind: 'run', at, event }),
    span_id: hash(run_id, 16),
    ...(traceparent === undefined ? {} : { parent_span_id: traceparent.slice(36, 52) }),
    name: `${runOperation} ${name}`,
    ...times(at - execution_ms, at),
    status: status === 'completed' ? 'ok' : 'error',
    attributes: {
      [names.operation]: runOperation,
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
    span_id: hash(swap_id, 16),
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

function toolOf(orbId: string): string {
  const { namespace, name } = parseOrbId(orbId);
  return `${namespace}.${name}`;
}

function times(from: number, to: number): Pick<Span, 'started_at' | 'ended_at' | 'duration_ms'> {
  const begun = Math.min(from, to);
  return { started_at: timestamp(begun), ended_at: timestamp(to), duration_ms: to - begun };
}

// The same thing has the same span id whenever it is asked for.
function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
