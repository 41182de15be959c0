import { timestamp, type Clock } from '../../../kernel/index.ts';

/** One request without a valid proof: its body is not kept. */
interface Rejection {
  readonly at: string;
  readonly size: number;
  /** `sha256:<hex>` */
  readonly digest: string;
}

/** Records refused requests by source, and detects addresses that keep failing. */
export type Rejections = ReturnType<typeof createRejections>;

// Most rejections kept per source, the newest first.
const kept = 20;
const mostFailures = 60;
const windowMs = 60_000;
const mostAddresses = 10_000;

/** Creates the record of refused requests. */
export function createRejections(clock: Clock) {
  const sources = new Map<string, { count: number; recent: Rejection[] }>();
  const failures = new Map<string, { count: number; since: number }>();
  const window = (key: string) => {
    const found = failures.get(key);
    return found !== undefined && clock.monotonic() - found.since < windowMs ? found : undefined;
  };
  return {
    note(sourceId: string, address: string, refused: Omit<Rejection, 'at'>): void {
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
    /** Says whether an address has failed too often at a source, so its requests are refused: 60 times in a minute. */
    tired: (sourceId: string, address: string) => (window(`${sourceId} ${address}`)?.count ?? 0) >= mostFailures,
    /** Returns the refused requests of one source since the start of the process. */
    of: (sourceId: string) => sources.get(sourceId) ?? { count: 0, recent: [] },
  };
}
