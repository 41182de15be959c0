import { every, operation } from '../../../../kernel/index.ts';
import type { IncidentScope } from '../store/scope.ts';
import { outagePart, type MeasuredOutage, type OutageReads } from './store.ts';
import type { OutageEvent, OutageRecord } from './outage.ts';
import { firingOutages } from './outage-incidents.ts';

/** What outages of several nodes are read and written with. */
export interface NodesScope extends IncidentScope {
  readonly reads: IncidentScope['reads'] & OutageReads;
}

const foldMs = 1000;

/** Writes down what this node measures. */
export function outagesOfNode({ store, reads, clock, log }: NodesScope): OutageRecord {
  const { incarnation } = store.node;
  const note = (one: Omit<MeasuredOutage, 'incarnation'>): Promise<unknown> =>
    store.write([operation(outagePart, 'noteOutage', { ...one, incarnation })]);
  return {
    /** An outage of all nodes counts for this one until its own measurement differs. */
    async open() {
      const open = [...(await firingOutages(reads)).keys()];
      for (const subject of open) await note({ subject, state: 'firing', at_ms: clock.now(), reason: '' });
      return open;
    },
    async record({ subject, state, at_ms, reason }) {
      const says = state === 'firing' ? 'out here' : 'not out here any more';
      log.warn({ subject, reason }, `an Orb is ${says}; it is an outage when no node can serve it`);
      await note({ subject, state, at_ms, reason });
    },
  };
}

/**
 * On the node that folds incidents: makes outages of what all nodes measure, and records them in `incidents`. Returns a
 * function that stops it.
 */
export async function foldOutages({ clock, log, reads, store }: NodesScope, incidents: OutageRecord) {
  const open = new Map(await firingOutages(reads));
  const fold = async (): Promise<void> => {
    const rows = await reads.outages();
    if (rows.length === 0 && open.size === 0) return;
    const living = (await store.peers.nodes()).filter(({ state }) => state === 'live');
    const serving = living.filter((node) => node.serving).map(({ incarnation }) => incarnation);
    for (const event of foldedOutages(rows, serving, { open, now_ms: clock.now() })) {
      await incidents.record(event);
      if (event.state === 'firing') open.set(event.subject, event.at_ms);
      else open.delete(event.subject);
    }
    const known = new Set(living.map(({ incarnation }) => incarnation));
    const ended = [...new Set(rows.map(({ incarnation }) => incarnation))].filter((one) => !known.has(one));
    if (ended.length > 0) await store.write([operation(outagePart, 'forgetOutages', { incarnations: ended })]);
  };
  return every(foldMs, fold, (err) => log.warn({ err }, 'the server could not record an outage; it tries again'));
}

/** What was recorded, and the time. Milliseconds since the Unix epoch. */
interface Recorded {
  /** The subjects that are out, each with the time of the event that says so. */
  readonly open: ReadonlyMap<string, number>;
  readonly now_ms: number;
}

/**
 * Folds what nodes measured: a subject is out when every node that serves measures so, from the time of the last of
 * them on; it is over when one of them can serve it. Answers the events that are not recorded yet.
 */
export function foldedOutages(
  rows: readonly MeasuredOutage[],
  serving: readonly string[],
  { now_ms, open }: Recorded,
): readonly OutageEvent[] {
  if (serving.length === 0) return [];
  const subjects = new Set([...rows.map(({ subject }) => subject), ...open.keys()]);
  return [...subjects].flatMap((subject): readonly OutageEvent[] => {
    const own = rows.filter((row) => row.subject === subject && serving.includes(row.incarnation));
    const firing = own.filter(({ state }) => state === 'firing');
    const isOut = firing.length === serving.length;
    const since = open.get(subject);
    if (isOut === (since !== undefined)) return [];
    if (isOut) {
      const reason = firing.find((row) => row.reason !== '')?.reason ?? '';
      return [{ subject, state: 'firing', at_ms: Math.max(...firing.map(({ at_ms }) => at_ms)), reason }];
    }
    const over = own.filter(({ state }) => state === 'resolved').map(({ at_ms }) => at_ms);
    // Its end must not lie before its beginning.
    const at_ms = Math.max(over.length === 0 ? now_ms : Math.min(...over), (since ?? 0) + 1);
    return [{ subject, state: 'resolved', at_ms, reason: own[0]?.reason ?? '' }];
  });
}
