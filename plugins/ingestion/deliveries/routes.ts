import {
  defineRoute,
  idOfCursor,
  operation,
  pageOf,
  pageQuery,
  PlatformError,
  reply,
  timestamp,
  type Route,
  type Store,
} from '../../../kernel/index.ts';
import type { IngestMetrics } from '../intake/metrics.ts';
import type { Delivery, DeliveryState } from './delivery.ts';
import type { DeliveryReads } from './reading.ts';
import type { NormaliserThread } from '../signals/normalise/normaliser-thread.ts';
import { storedOf, wireBytes } from '../signals/normalise/normalize.ts';
import type { Registry } from '../sources/registry.ts';
import ingestionStore from '../store.ts';
import { previewOf } from './preview.ts';
import { deliveryDetail, deliveryPage, previewSchema } from './schema.ts';

/** What the routes of deliveries work on. */
export interface DeliveryRoutesScope {
  readonly store: Store;
  readonly reads: DeliveryReads;
  readonly registry: Registry;
  readonly normaliser: NormaliserThread;
  readonly metrics: IngestMetrics;
  /** Deliveries of a source wait again. */
  readonly requeued: (sourceId: string, count: number) => void;
}

const params = {
  type: 'object',
  additionalProperties: false,
  required: ['delivery_id'],
  properties: { delivery_id: { type: 'string', maxLength: 64, description: 'Id of the delivery' } },
} as const;

const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;

const filters = {
  source_id: { type: 'string', maxLength: 64, description: 'Only of this source' },
  state: { enum: ['queued', 'done', 'ignored', 'dead'], description: 'Only in this state' },
  reason: { type: 'string', maxLength: 64, description: 'Only with this reason' },
  from: { ...time, description: 'Received at or after' },
  to: { ...time, description: 'Received before' },
} as const;

const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { ...filters, ...pageQuery },
} as const;

const managed = { service: 'ingest', scope: 'sources:manage' } as const;

/** Makes the routes of `/deliveries`. */
export function deliveryRoutes(scope: DeliveryRoutesScope): readonly Route[] {
  return [
    listRoute(scope),
    readRoute(scope),
    rawRoute(scope),
    previewRoute(scope),
    replayRoute(scope),
    bulkRoute(scope),
  ];
}

function listRoute({ reads }: DeliveryRoutesScope): Route {
  return defineRoute({
    ...managed,
    method: 'GET',
    path: '/deliveries',
    operationId: 'listDeliveries',
    summary: 'List deliveries, newest first; dead letters are those of state dead',
    query: listQuery,
    response: deliveryPage,
    problems: [],
    handle({ query: { limit, cursor, ...wanted } }) {
      const after = idOfCursor(cursor, 'dlv_');
      const found = reads.deliveries({ ...given(wanted), ...(after === undefined ? {} : { after }), limit: limit + 1 });
      const { items: deliveries, next_cursor } = pageOf(found, limit, ({ delivery_id }) => delivery_id);
      return next_cursor === undefined ? { deliveries } : { deliveries, next_cursor };
    },
  });
}

interface Wanted {
  readonly source_id?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly reason?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function given({ from, to, ...words }: Wanted): { [K in keyof Wanted]?: Exclude<Wanted[K], undefined> } {
  return {
    ...Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)),
    // Stored times have three decimals, and are compared as text.
    ...(from === undefined ? {} : { from: timestamp(Date.parse(from)) }),
    ...(to === undefined ? {} : { to: timestamp(Date.parse(to)) }),
  };
}

function readRoute({ reads }: DeliveryRoutesScope): Route {
  return defineRoute({
    ...managed,
    method: 'GET',
    path: '/deliveries/{delivery_id}',
    operationId: 'getDelivery',
    summary: 'Read a delivery and the signals it became',
    params,
    response: deliveryDetail,
    problems: ['delivery_not_found'],
    handle({ params: { delivery_id } }) {
      const delivery = find(reads, delivery_id);
      const raw_kept = reads.evidence(delivery_id)?.raw_kept ?? false;
      return { delivery, signals: reads.signalsOfDelivery(delivery_id, 100), raw_kept };
    },
  });
}

function rawRoute({ reads }: DeliveryRoutesScope): Route {
  return defineRoute({
    ...managed,
    method: 'GET',
    path: '/deliveries/{delivery_id}/raw',
    operationId: 'downloadDelivery',
    summary: 'Download the body exactly as it was received',
    params,
    produces: 'application/octet-stream',
    sends: { 'Content-Disposition': true },
    problems: ['delivery_not_found'],
    handle({ params: { delivery_id } }) {
      find(reads, delivery_id);
      const body = reads.body(delivery_id);
      const bytes = body === undefined ? undefined : wireBytes(body);
      if (bytes === undefined) throw new PlatformError('delivery_not_found', 'the body is not kept');
      // Whatever a sender wrote must not become a page of ours.
      const headers = { 'Content-Disposition': `attachment; filename="${delivery_id}"` };
      return reply({ type: 'application/octet-stream', headers, body: bytes });
    },
  });
}

function previewRoute(scope: DeliveryRoutesScope): Route {
  const { reads, registry, normaliser } = scope;
  return defineRoute({
    ...managed,
    method: 'GET',
    path: '/deliveries/{delivery_id}/preview',
    operationId: 'previewReplay',
    summary: 'Say what replaying a delivery would change, without changing it',
    params,
    response: previewSchema,
    problems: ['delivery_not_found', 'delivery_not_replayable'],
    handle({ params: { delivery_id } }) {
      const delivery = find(reads, delivery_id);
      const source = registry.byId(delivery.source_id);
      const body = reads.body(delivery_id);
      if (source === undefined || body === undefined) throw gone();
      return previewOf(delivery, storedOf(source, delivery, body), { normaliser, reads });
    },
  });
}

const replayed = {
  $id: 'Replayed',
  type: 'object',
  required: ['queued'],
  properties: { queued: { type: 'integer', description: 'Number of deliveries that wait again' } },
} as const;

function replayRoute(scope: DeliveryRoutesScope): Route {
  return defineRoute({
    ...managed,
    method: 'POST',
    path: '/deliveries/{delivery_id}/replay',
    operationId: 'replayDelivery',
    live: true,
    summary: 'Read a stored delivery anew; its signals replace the old ones where they differ',
    params,
    response: replayed,
    status: 202,
    problems: ['delivery_not_found', 'delivery_not_replayable'],
    async handle({ params: { delivery_id } }) {
      const delivery = find(scope.reads, delivery_id);
      const queued = await replay(scope, [delivery]);
      if (queued === 0 && delivery.state !== 'queued') throw gone();
      return reply({ status: 202, body: { queued } });
    },
  });
}

const bulkWish = {
  $id: 'ReplayRequest',
  type: 'object',
  additionalProperties: false,
  properties: { ...filters, dry_run: { type: 'boolean', default: false, description: 'Counts only' } },
} as const;

const bulkAnswer = {
  $id: 'ReplayAnswer',
  type: 'object',
  required: ['matched', 'queued'],
  properties: {
    matched: { type: 'integer', description: 'At most 1000; ask again for more' },
    queued: { type: 'integer', description: 'Number of deliveries that wait again' },
  },
} as const;

const mostAtOnce = 1000;

function bulkRoute(scope: DeliveryRoutesScope): Route {
  return defineRoute({
    ...managed,
    method: 'POST',
    path: '/deliveries/replay',
    operationId: 'replayDeliveries',
    live: true,
    summary: 'Read stored deliveries anew, the newest 1000 that fit; dry_run counts them',
    body: bulkWish,
    response: bulkAnswer,
    status: 202,
    problems: [],
    async handle({ body: { dry_run, ...wanted } }) {
      const found = scope.reads.deliveries({ ...given(wanted), limit: mostAtOnce });
      const queued = dry_run ? 0 : await replay(scope, found);
      return reply({ status: 202, body: { matched: found.length, queued } });
    },
  });
}

async function replay(scope: DeliveryRoutesScope, deliveries: readonly Delivery[]): Promise<number> {
  let all = 0;
  for (const [source_id, ids] of grouped(deliveries)) {
    const [queued] = await scope.store.write([operation(ingestionStore, 'requeue', { delivery_ids: ids })]);
    all += queued;
    scope.metrics.replayed(queued);
    scope.requeued(source_id, queued);
  }
  return all;
}

function grouped(deliveries: readonly Delivery[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { source_id, delivery_id } of deliveries)
    groups.set(source_id, [...(groups.get(source_id) ?? []), delivery_id]);
  return groups;
}

function find(reads: DeliveryReads, id: string): Delivery {
  const delivery = reads.delivery(id);
  if (delivery === undefined) throw new PlatformError('delivery_not_found', `there is no delivery ${id}`);
  return delivery;
}

function gone(): PlatformError {
  return new PlatformError('delivery_not_replayable', 'its body is no longer kept');
}
