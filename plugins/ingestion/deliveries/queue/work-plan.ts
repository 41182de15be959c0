import { canonical, given, type Ids } from '../../../../kernel/index.ts';
import type { Delivery } from '../delivery.ts';
import { usageOf } from '../usage.ts';
import type { Settled } from '../writing.ts';
import type { Signal } from '../../signals/signal.ts';
import { reachesIncidents } from '../../signals/words.ts';
import type { Unnumbered } from './signal-from-draft.ts';
import type { Normalized } from './normalize.ts';

/** The remaining work on one delivery: signals to record from `from` on, then its end. */
export interface Work {
  readonly delivery: Delivery;
  readonly signals: readonly Unnumbered[];
  readonly from: number;
  readonly state: 'done' | 'ignored' | 'dead';
  readonly reason?: string;
  /** Earlier signals that are withdrawn, each with the step that replaces it. */
  readonly withdrawn: readonly Signal[];
  readonly version: number;
}

/** Most signals of one write. */
export const mostSignals = 500;

/** Plans the work on a delivery from its normalized result and the signals that were recorded of it before. */
export function planWork(delivery: Delivery, normalized: Normalized, recorded: readonly Signal[]): Work {
  const { version } = normalized;
  // The same version of the normalizer has already recorded the first part.
  const goesOn = delivery.progress > 0 && delivery.normalizer_version === version;
  const known = delivery.signals === 0 ? [] : recorded;
  if ('undecodable' in normalized) {
    const { undecodable: reason } = normalized;
    return { delivery, signals: [], from: 0, state: 'dead', reason, withdrawn: known, version };
  }
  const { signals } = normalized;
  const state = signals.length === 0 ? 'ignored' : 'done';
  const reason = signals.length === 0 ? { reason: 'nothing_in_it' } : {};
  const common = { delivery, signals, state, ...reason, version } as const;
  if (goesOn) {
    const from = delivery.progress;
    return { ...common, from, withdrawn: known.filter(({ ordinal }) => ordinal >= from) };
  }
  // A replay without changes writes no signals.
  if (sameSignals(known, signals)) return { ...common, from: signals.length, withdrawn: [] };
  return { ...common, from: 0, withdrawn: known };
}

// Says whether recorded signals equal the current result of the normalizer, apart from ids and versions.
function sameSignals(known: readonly Signal[], now: readonly Unnumbered[]): boolean {
  return known.length === now.length && known.every((signal, index) => sameSignal(signal, now[index]));
}

// Says whether one recorded signal equals the current result, apart from id and version.
function sameSignal(known: Signal, now: Unnumbered | undefined): boolean {
  if (now === undefined) return false;
  const { signal_id: _, normalizer_version: before, ...rest } = known;
  const { normalizer_version: after, ...fresh } = now;
  return before <= after && canonical(rest) === canonical(fresh);
}

/** One step of the work: the part to record, and the rest. */
export interface Step {
  readonly settled: Settled;
  readonly withdrawn: readonly string[];
  readonly left: Work | undefined;
}

/** Takes the next step from the work: at most `room` signals. */
export function nextStep(work: Work, room: number, ids: Ids): Step {
  const { delivery, from, version } = work;
  const signals = work.signals.slice(from, from + room).map((signal) => ({ signal_id: ids('sig'), ...signal }));
  const end = from + signals.length;
  const ends = end >= work.signals.length;
  // Later signals are withdrawn in their own step, so a person's decision about them passes to their successors.
  const withdrawn = work.withdrawn.filter(({ ordinal }) => ends || ordinal < end);
  return {
    settled: {
      delivery_id: delivery.delivery_id,
      ...(ends ? { state: work.state, ...given({ reason: work.reason }) } : {}),
      signals,
      withdrawn: withdrawn.map(({ signal_id }) => signal_id),
      progress: end,
      usage: [...usageOf(withdrawn, -1), ...usageOf(signals)],
      normalizer_version: version,
    },
    withdrawn: withdrawn.filter(({ type }) => reachesIncidents(type)).map(({ signal_id }) => signal_id),
    left: ends ? undefined : { ...work, from: end, withdrawn: work.withdrawn.filter(({ ordinal }) => ordinal >= end) },
  };
}
