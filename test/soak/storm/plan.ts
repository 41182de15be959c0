/** What is done to a node, or to the database of all. */
export type FaultKind =
  | 'killed'
  | 'stopped'
  | 'clock'
  | 'database restarted'
  | 'database away'
  | 'network cut'
  | 'failover'
  | 'switch-over';

/** One fault of a storm. */
export interface Fault {
  /** When it begins, after the begin of the storm. */
  readonly atMs: number;
  readonly kind: FaultKind;
  /** Number of the node that it meets; faults of the database meet all. */
  readonly node: number;
  /** How long it lasts. */
  readonly forMs: number;
  /** How far the clock of the node is set ahead. */
  readonly aheadMs: number;
}

const hour = 3_600_000;
const offsets = [5000, -5000, 20_000, -20_000, 31_000, -45_000, hour, -hour, 25 * hour, -25 * hour];
const ofDatabase = ['database restarted', 'database away', 'network cut', 'failover', 'switch-over'] as const;

/** Makes numbers of [0, 1) that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plans the faults of a storm: three courses beside each other, for processes, clocks and the database. */
export function planFaults(random: () => number, lengthMs: number, nodes: number): readonly Fault[] {
  const between = (least: number, most: number): number => Math.round(least + random() * (most - least));
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  // A short storm has all kinds; a long one leaves some time between them, as for swaps that a node has led that died.
  const rarer = lengthMs > 600_000 ? 1.5 : 1;
  const course = (
    firstMs: number,
    gap: () => number,
    make: (atMs: number, turn: number) => Fault,
  ): readonly Fault[] => {
    const faults: Fault[] = [];
    for (let atMs = firstMs; atMs < lengthMs - 5000; atMs += gap() * rarer) faults.push(make(atMs, faults.length));
    return faults;
  };
  const node = (): number => Math.floor(random() * nodes);
  const processes = course(
    5000,
    () => between(8000, 20_000),
    (atMs) => {
      const kind = pick(['killed', 'stopped'] as const);
      // Shorter than a lease, or longer.
      const forMs = kind === 'killed' ? between(0, 15_000) : pick([between(500, 5000), between(9000, 20_000)]);
      return { atMs, kind, node: node(), forMs, aheadMs: 0 };
    },
  );
  const clocks = course(
    9000,
    () => between(10_000, 25_000),
    (atMs) => ({ atMs, kind: 'clock', node: node(), forMs: between(1000, 12_000), aheadMs: pick(offsets) }),
  );
  // Each kind in turn, so that a short storm has all of them.
  const databases = course(
    14_000,
    () => between(28_000, 40_000),
    (atMs, turn) => {
      const kind = ofDatabase[turn % ofDatabase.length] as FaultKind;
      const isAway = kind === 'database away' || kind === 'network cut';
      return { atMs, kind, node: -1, forMs: isAway ? pick([20_000, between(2000, 20_000)]) : 0, aheadMs: 0 };
    },
  );
  return [...processes, ...clocks, ...databases].sort((one, other) => one.atMs - other.atMs);
}

/** Says a fault in one line. */
export function saidFault({ aheadMs, atMs, forMs, kind, node }: Fault): string {
  const name = node < 0 ? '' : ` of ${String.fromCharCode(97 + node)}`;
  const ahead = aheadMs === 0 ? '' : ` ${aheadMs > 0 ? '+' : ''}${aheadMs / 1000} s`;
  return `${(atMs / 1000).toFixed(1).padStart(7)} s  ${kind}${name}${ahead}${forMs === 0 ? '' : `, for ${forMs / 1000} s`}`;
}
