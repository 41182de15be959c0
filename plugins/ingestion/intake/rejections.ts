import { timestamp, type Clock } from '../../../kernel/index.ts';

/** One request that proved nothing: its body is not kept. */
export interface Rejection {
  readonly at: string;
  readonly size: number;
  /** `sha256:<hex>` */
  readonly digest: string;
}

/** What was refused at the hook of one source since the start of the process. */
export interface RejectionCount {
  readonly count: number;
  /** The newest 20. */
  readonly recent: readonly Rejection[];
}

/** Remembers refused requests, by source, and slows an address that keeps failing. */
export interface Rejections {
  note(sourceId: string, address: string, refused: Omit<Rejection, 'at'>): void;
  /** Says whether an address has failed at a source too often to be listened to: 60 times in a minute. */
  tired(sourceId: string, address: string): boolean;
  of(sourceId: string): RejectionCount;
}

const kept = 20;
const mostFailures = 60;
const windowMs = 60_000;
const mostAddresses = 10_000;

/** Creates the memory of refused requests. */
export function createRejections(clock: Clock): Rejections {
  const sources = new Map<string, { count: number; recent: Rejection[] }>();
  const failures = new Map<string, { count: number; since: number }>();
  const window = (key: string) => {
    const found = failures.get(key);
    return found !== undefined && clock.monotonic() - found.since < windowMs ? found : undefined;
  };
  return {
    note(sourceId, address, refused) {
      const known = sources.get(sourceId) ?? { count: 0, recent: [] };
      known.count += 1;
      known.recent = [{ at: timestamp(clock.now()), ...refused }, ...known.recent].slice(0, kept);
      sources.set(sourceId, known);
      const key = `${sourceId} ${address}`;
      const failed = window(key) ?? { count: 0, since: clock.monotonic() };
      failed.count += 1;
      failures.delete(key);
      failures.set(key, failed);
      if (failures.size > mostAddresses) failures.delete(failures.keys().next().value ?? '');
    },
    tired: (sourceId, address) => (window(`${sourceId} ${address}`)?.count ?? 0) >= mostFailures,
    of: (sourceId) => sources.get(sourceId) ?? { count: 0, recent: [] },
  };
}
