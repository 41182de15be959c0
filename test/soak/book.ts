/** What a caller was told of a run: an answer that names it is an acknowledgement, whatever it says. */
export interface AnsweredRun {
  readonly runId: string;
  readonly status: number;
  /** Of the problem; absent when it completed. */
  readonly code?: string;
  /** The mark in the e-mail, when it was one. */
  readonly token?: string;
}

/** What the load was told and what was wrong with it, for the whole soak. */
export interface Book {
  /** By run id. */
  readonly runs: ReadonlyMap<string, AnsweredRun>;
  /** Delivery ids by the key of their event. */
  readonly deliveries: ReadonlyMap<string, string>;
  /** Receipt ids of swaps, by swap id. */
  readonly swaps: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
  readonly faultCount: number;
  count(name: string): void;
  counted(name: string): number;
  answered(run: AnsweredRun): void;
  delivered(event: string, deliveryId: string): void;
  swapped(swapId: string, receiptId: string): void;
  fault(what: string): void;
}

// The first tell what is broken; the rest is counted.
const mostFaults = 30;

/** Opens an empty book. */
export function createBook(): Book {
  const runs = new Map<string, AnsweredRun>();
  const deliveries = new Map<string, string>();
  const swaps = new Map<string, string>();
  const counts = new Map<string, number>();
  const faults: string[] = [];
  let faultCount = 0;
  const fault = (what: string): void => {
    faultCount += 1;
    if (faults.length < mostFaults) faults.push(what);
  };
  return {
    runs,
    deliveries,
    swaps,
    faults,
    get faultCount() {
      return faultCount;
    },
    count: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    counted: (name) => counts.get(name) ?? 0,
    answered(run) {
      const before = runs.get(run.runId);
      if (before !== undefined && before.status !== run.status)
        fault(`run ${run.runId} was answered ${before.status}, then ${run.status}`);
      runs.set(run.runId, run);
    },
    delivered(event, deliveryId) {
      const before = deliveries.get(event);
      if (before !== undefined && before !== deliveryId)
        fault(`the event ${event} was taken as ${before} and again as ${deliveryId}`);
      deliveries.set(event, deliveryId);
    },
    swapped: (swapId, receiptId) => void swaps.set(swapId, receiptId),
    fault,
  };
}
