import { every, firstIdAt, operation, type Operation, type PluginScope } from '../../../../kernel/index.ts';
import type { Engine } from '../engine/engine.ts';
import { carryingOut } from './carrying-out.ts';
import { refreshInTurns, type Refresh } from './refreshes.ts';
import type { Ask } from '../model/request.ts';
import { Requests } from './requests.ts';
import type { OutageRecord } from '../watches/measured.ts';
import { outageIncidents } from '../watches/outage-incidents.ts';
import { foldOutages, outagesOfNode } from '../watches/outages-of-nodes.ts';
import type { IncidentReads } from '../store/reading.ts';
import { requestPart, type RequestReads } from './store.ts';
import type { OutageReads } from '../watches/store.ts';

type Parts = 'clock' | 'ids' | 'log' | 'store';

interface FoldingOptions extends Pick<PluginScope<unknown, never>, Parts> {
  readonly engine: Engine;
  readonly reads: IncidentReads & RequestReads & OutageReads;
}

const hourMs = 3_600_000;
// How long events of resolved incidents are kept, ms: debt decays within 98 days of an incident's end.
const keptMs = 120 * 86_400_000;
const forgettingFailed = 'events of old incidents could not be forgotten; the server tries again in an hour';

/** What one node does for all: it folds incidents and numbers their changes. The others ask it. */
export interface Folding {
  /** Whether this node folds incidents. */
  readonly begun: boolean;
  /** Folds incidents on this node from now on. Rejects when the store is away: call it again. */
  begin(): Promise<void>;
  readonly ask: Ask;
  /** Writes or removes a maintenance window. */
  plan(write: Operation): Promise<void>;
  /** Notes that deliveries came again. */
  readonly refreshed: Refresh;
  readonly outages: OutageRecord;
  stop(): Promise<void>;
}

/** Makes it; it begins when this node has the role. */
export function createFolding(options: FoldingOptions): Folding {
  const { clock, engine, ids, log, reads, store } = options;
  const requests = new Requests({ ...options, carryOut: carryingOut({ engine, reads, ids }) });
  const incidents = outageIncidents({ engine, reads, ids });
  const stops: (() => void)[] = [];
  const failed = (err: unknown): void => log.warn({ err }, forgettingFailed);
  let begun = false;
  const forget = async (): Promise<void> => {
    await engine.forget(clock.now() - keptMs);
    if (!store.shared) return;
    await store.write([operation(requestPart, 'forgetRequests', { before: firstIdAt('ask', clock.now() - hourMs) })]);
  };
  return {
    get begun() {
      return begun;
    },
    async begin() {
      await engine.start();
      if (store.shared) stops.push(await foldOutages({ ...options, incidents }));
      stops.push(every(hourMs, forget, failed));
      begun = true;
      requests.begin();
    },
    ask: requests.ask,
    async plan(write) {
      if (begun) return engine.plan(write);
      await store.write([write]);
      // This node may have become the folding node in the meantime, and gets no notifications of its own rows.
      engine.replanned();
    },
    refreshed: refreshInTurns(async (delivery_ids) => {
      if (begun) return engine.refreshed(delivery_ids);
      await store.write([operation(requestPart, 'tellRefreshed', { delivery_ids })]);
    }),
    outages: store.shared ? outagesOfNode(options) : incidents,
    async stop() {
      for (const stop of stops) stop();
      await requests.stop();
    },
  };
}
