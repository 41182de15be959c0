import { every, firstIdAt, operation, type Operation } from '../../../../kernel/index.ts';
import type { Engine } from '../engine/engine.ts';
import { carryingOut } from './request-execution.ts';
import { refreshInTurns } from './refreshes.ts';
import { Requests } from './requests.ts';
import { outageIncidents } from '../watches/outage-incidents.ts';
import { foldOutages, outagesOfNode, type NodesScope } from '../watches/outages-of-nodes.ts';
import { requestPart, type RequestReads } from './store.ts';

type FoldingScope = NodesScope & { readonly reads: RequestReads };

const hourMs = 3_600_000;
// How long events of resolved incidents are kept, ms: debt decays within 98 days of an incident's end.
const keptMs = 120 * 86_400_000;
const forgettingFailed = 'events of old incidents could not be forgotten; the server tries again in an hour';

/** What one node does for all: it folds incidents and numbers their changes. The others ask it. */
export type Folding = ReturnType<typeof createFolding>;

/** Makes it; it begins when this node has the role. */
export function createFolding(scope: FoldingScope, engine: Engine) {
  const { clock, log, store } = scope;
  const requests = new Requests(scope, carryingOut(scope, engine));
  const incidents = outageIncidents(scope, engine);
  const stops: (() => void)[] = [];
  const failed = (err: unknown): void => log.warn({ err }, forgettingFailed);
  let begun = false;
  const forget = async (): Promise<void> => {
    await engine.forget(clock.now() - keptMs);
    if (!store.shared) return;
    await store.write([operation(requestPart, 'forgetRequests', { before: firstIdAt('ask', clock.now() - hourMs) })]);
  };
  return {
    /** Whether this node folds incidents. */
    get begun() {
      return begun;
    },
    /** Folds incidents on this node from now on. Rejects when the store is away: call it again. */
    async begin(): Promise<void> {
      await engine.start();
      if (store.shared) stops.push(await foldOutages(scope, incidents));
      stops.push(every(hourMs, forget, failed));
      begun = true;
      requests.begin();
    },
    ask: requests.ask,
    /** Writes or removes a maintenance window. */
    async plan(write: Operation): Promise<void> {
      if (begun) return engine.plan(write);
      await store.write([write]);
      // This node may have become the folding node in the meantime, and gets no notifications of its own rows.
      engine.replanned();
    },
    /** Notes that deliveries came again. */
    refreshed: refreshInTurns(async (delivery_ids) => {
      if (begun) return engine.refreshed(delivery_ids);
      await store.write([operation(requestPart, 'tellRefreshed', { delivery_ids })]);
    }),
    outages: store.shared ? outagesOfNode(scope) : incidents,
    async stop(): Promise<void> {
      for (const stop of stops) stop();
      await requests.stop();
    },
  };
}
