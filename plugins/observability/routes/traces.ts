import { defineRoute, type Route } from '../../../kernel/index.ts';
import type { Incidents } from '../../ingestion/contract.ts';
import { linksOf } from '../traces/link.ts';
import type { Ring } from '../traces/ring.ts';
import { spanOf, traceOf, type Seen } from '../traces/span.ts';
import { time } from './schema.ts';

const traceId = { type: 'string', pattern: '^[0-9a-f]{32}$' } as const;
const spanId = { type: 'string', pattern: '^[0-9a-f]{16}$' } as const;

const span = {
  $id: 'Span',
  type: 'object',
  additionalProperties: false,
  required: ['trace_id', 'span_id', 'name', 'started_at', 'ended_at', 'duration_ms', 'status', 'attributes', 'links'],
  properties: {
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: { ...spanId, description: "The caller's" },
    name: { type: 'string' },
    started_at: time,
    ended_at: time,
    duration_ms: { type: 'integer', minimum: 0 },
    status: { enum: ['ok', 'error'] },
    attributes: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
    links: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'id', 'path'],
        properties: {
          kind: { enum: ['run', 'receipt', 'incident'] },
          id: { type: 'string' },
          path: { type: 'string' },
        },
      },
    },
  },
} as const;

/** Makes `GET /traces`: the spans in memory, newest first. */
export function tracesRoute(seen: Ring<Seen>, incidents: Pick<Incidents, 'open'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/traces',
    operationId: 'listTraces',
    service: 'shared',
    scope: 'metrics:read',
    summary: 'List recent spans of runs and swaps, with their receipts and incidents',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        trace_id: traceId,
        run_id: { type: 'string', maxLength: 64 },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      },
    } as const,
    response: {
      type: 'object',
      additionalProperties: false,
      required: ['spans'],
      properties: { spans: { type: 'array', items: span } },
    },
    problems: [],
    handle({ query: { trace_id, run_id, limit = 100 } }) {
      const open = incidents.open();
      const spans: object[] = [];
      for (const one of seen.newest()) {
        if (spans.length === limit) break;
        if (trace_id !== undefined && traceOf(one) !== trace_id) continue;
        if (run_id !== undefined && (one.kind !== 'run' || one.event.run_id !== run_id)) continue;
        spans.push({ ...spanOf(one), links: linksOf(one, open) });
      }
      return { spans };
    },
  });
}
