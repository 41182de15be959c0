import {
  canonical,
  defineRoute,
  exactly,
  given,
  idOfCursor,
  nextOf,
  operation,
  pageQuery,
  PlatformError,
  reply,
  type AwaitedReads,
  type Route,
} from '../../../kernel/index.ts';
import { deliveryDetail, deliveryFilters, deliveryPage, previewSchema, type Delivery } from '../deliveries/delivery.ts';
import type { DeliveryQuery, DeliveryReads } from '../deliveries/reading.ts';
import type { PipelineOptions } from '../deliveries/queue/source-queue.ts';
import { storedOf, wireBytes, type Stored } from '../deliveries/queue/normalize.ts';
import { deliveryPart } from '../deliveries/store.ts';
import { problems } from '../problems.ts';
import type { Unnumbered } from '../deliveries/queue/signal-from-draft.ts';
import type { Signal } from '../signals/signal.ts';

/** Dependencies of the delivery routes; `requeued`: called when deliveries of a source are queued again. */
interface Scope extends Pick<PipelineOptions, 'store' | 'reads' | 'registry' | 'normalizer' | 'metrics'> {
  readonly lists: Pick<AwaitedReads<DeliveryReads>, 'deliveries'>;
  readonly requeued: (sourceId: string, count: number) => void;
}

const params = exactly({ delivery_id: { type: 'string', maxLength: 64, description: 'Id of the delivery' } });

const filters = deliveryFilters.properties;

const listQuery = { ...deliveryFilters, properties: { ...filters, ...pageQuery } } as const;

const managed = { service: 'ingest', scope: 'sources:manage' } as const;

const readsDelivery = { ...managed, params, problems: [problems.delivery_not_found] } as const;

/** Makes the routes of `/deliveries`. */
export function deliveryRoutes(scope: Scope): readonly Route[] {
  return [listRoute, readRoute, rawRoute, previewRoute, replayRoute, bulkRoute].map((route) => route(scope));
}

const listRoute = ({ lists }: Scope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/deliveries',
    operationId: 'listDeliveries',
    summary: 'List deliveries, newest first; dead letters have the state dead',
    query: listQuery,
    response: deliveryPage,
    async handle({ query: { limit, cursor, ...wanted } }) {
      const page = await lists.deliveries({ ...wanted, after: idOfCursor(cursor, 'dlv_'), limit });
      return { deliveries: page.items, ...nextOf(page) };
    },
  });

const readRoute = ({ reads }: Scope): Route =>
  defineRoute({
    ...readsDelivery,
    method: 'GET',
    path: '/deliveries/{delivery_id}',
    operationId: 'getDelivery',
    summary: 'Read a delivery and its signals',
    response: deliveryDetail,
    async handle({ params: { delivery_id } }) {
      const delivery = await find(reads, delivery_id);
      const raw_kept = (await reads.evidence(delivery_id))?.raw_kept ?? false;
      return { delivery, signals: await reads.signalsOfDelivery(delivery_id, 100), raw_kept };
    },
  });

const rawRoute = ({ reads }: Scope): Route =>
  defineRoute({
    ...readsDelivery,
    method: 'GET',
    path: '/deliveries/{delivery_id}/raw',
    operationId: 'downloadDelivery',
    summary: 'Download the body exactly as it was received',
    produces: 'application/octet-stream',
    sends: { 'Content-Disposition': true },
    async handle({ params: { delivery_id } }) {
      await find(reads, delivery_id);
      const body = await reads.body(delivery_id);
      const bytes = body === undefined ? undefined : wireBytes(body);
      if (bytes === undefined) throw new PlatformError(problems.delivery_not_found, 'the body is not stored');
      // As an attachment the browser never renders the sender's content under this origin.
      const headers = { 'Content-Disposition': `attachment; filename="${delivery_id}"` };
      return reply({ type: 'application/octet-stream', headers, body: bytes });
    },
  });

function previewRoute(scope: Scope): Route {
  const { reads, registry } = scope;
  return defineRoute({
    ...readsDelivery,
    method: 'GET',
    path: '/deliveries/{delivery_id}/preview',
    operationId: 'previewReplay',
    summary: 'Preview what a replay of a delivery would change',
    response: previewSchema,
    problems: [problems.delivery_not_found, problems.delivery_not_replayable],
    async handle({ params: { delivery_id } }) {
      const delivery = await find(reads, delivery_id);
      const source = registry.byId(delivery.source_id);
      const body = await reads.body(delivery_id);
      if (source === undefined || body === undefined) throw gone();
      return previewOf(delivery, storedOf(source, delivery, body), scope);
    },
  });
}

const replayed = exactly('Replayed', { queued: { type: 'integer', description: 'Number of deliveries queued again' } });

const replayRoute = (scope: Scope): Route =>
  defineRoute({
    ...readsDelivery,
    method: 'POST',
    path: '/deliveries/{delivery_id}/replay',
    operationId: 'replayDelivery',
    live: true,
    summary: 'Process a stored delivery again; its signals replace the old ones where they differ',
    response: replayed,
    status: 202,
    problems: [problems.delivery_not_found, problems.delivery_not_replayable],
    async handle({ params: { delivery_id } }) {
      const delivery = await find(scope.reads, delivery_id);
      const queued = await replay(scope, [delivery]);
      if (queued === 0 && delivery.state !== 'queued') throw gone();
      return { queued };
    },
  });

const bulkWish = {
  $id: 'ReplayRequest',
  ...deliveryFilters,
  properties: { ...filters, dry_run: { type: 'boolean', default: false, description: 'Only count them' } },
} as const;

const bulkAnswer = exactly('ReplayAnswer', {
  matched: { type: 'integer', description: 'At most 1000; repeat the request for more' },
  queued: { type: 'integer', description: 'Number of deliveries queued again' },
});

const mostAtOnce = 1000;

const bulkRoute = (scope: Scope): Route =>
  defineRoute({
    ...managed,
    method: 'POST',
    path: '/deliveries/replay',
    operationId: 'replayDeliveries',
    live: true,
    summary: 'Process stored deliveries again, the newest 1000 that match; dry_run only counts them',
    body: bulkWish,
    response: bulkAnswer,
    status: 202,
    async handle({ body: { dry_run, ...wanted }, disconnected }) {
      const found = await newest(scope, wanted, disconnected);
      // Otherwise the caller could not learn what was queued.
      if (disconnected.aborted) return { matched: found.length, queued: 0 };
      const queued = dry_run ? 0 : await replay(scope, found);
      return { matched: found.length, queued };
    },
  });

type Wanted = Omit<DeliveryQuery, 'after' | 'limit'>;

// Page by page, since a page visits a bounded number of deliveries, until the caller is gone.
async function newest({ lists }: Scope, wanted: Wanted, disconnected: AbortSignal): Promise<readonly Delivery[]> {
  const found: Delivery[] = [];
  for (let after: string | undefined; found.length < mostAtOnce && !disconnected.aborted;) {
    const limit = mostAtOnce - found.length;
    const { items, next } = await lists.deliveries({ ...wanted, ...given({ after }), limit });
    found.push(...items);
    if (next === undefined) return found;
    after = next;
  }
  return found;
}

async function replay({ store, metrics, requeued }: Scope, deliveries: readonly Delivery[]): Promise<number> {
  let all = 0;
  for (const [source_id, own] of Map.groupBy(deliveries, (one) => one.source_id)) {
    const delivery_ids = own.map(({ delivery_id }) => delivery_id);
    const [queued] = await store.write([operation(deliveryPart, 'requeue', { delivery_ids })]);
    all += queued;
    metrics.replayed(queued);
    requeued(source_id, queued);
  }
  return all;
}

async function find(reads: DeliveryReads, id: string): Promise<Delivery> {
  const delivery = await reads.delivery(id);
  if (delivery === undefined)
    throw new PlatformError(problems.delivery_not_found, `there is no delivery ${id}; GET /deliveries lists them`);
  return delivery;
}

function gone(): PlatformError {
  return new PlatformError(problems.delivery_not_replayable, 'its body is no longer stored');
}

const mostChanges = 100;

/** Computes the changes that a replay of a delivery would make, without making them. */
async function previewOf({ delivery_id }: Delivery, stored: Stored, { normalizer, reads }: Scope): Promise<object> {
  const normalized = await normalizer.normalize(stored);
  const known = await reads.signalsOfDelivery(delivery_id);
  const now = 'undecodable' in normalized ? [] : normalized.signals;
  const all = Array.from({ length: Math.max(known.length, now.length) }, (_, at) => changeOf(known[at], now[at], at));
  const changes = all.filter((change) => change !== undefined);
  const dead = 'undecodable' in normalized ? { outcome: 'dead', reason: normalized.undecodable } : undefined;
  const outcome = dead ?? { outcome: now.length === 0 ? 'ignored' : 'done' };
  return { ...outcome, unchanged: all.length - changes.length, changes: changes.slice(0, mostChanges) };
}

function changeOf(known: Signal | undefined, now: Unnumbered | undefined, ordinal: number): object | undefined {
  if (known === undefined) return { ordinal, change: 'added', members: membersOf({}, now ?? {}) };
  if (now === undefined) return { ordinal, change: 'removed', members: membersOf(known, {}) };
  const { signal_id: _, ...before } = known;
  const members = membersOf(before, now).filter(({ name }) => name !== 'normalizer_version');
  return members.length === 0 ? undefined : { ordinal, change: 'changed', members };
}

function membersOf(before: object, after: object) {
  const [old, fresh] = [before, after] as Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [was, is] = [old?.[name], fresh?.[name]];
    if (text(was) === text(is)) return [];
    return [{ name, ...given({ before: was, after: is }) }];
  });
}

function text(value: unknown): string {
  return value === undefined ? '' : canonical(value);
}
