import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock } from './clock.ts';

/**
 * Prefixes of identifiers: run, receipt, principal, key, decision, swap, installation, request; of ingestion: source,
 * delivery, signal, incident, maintenance window; of the ledger: certificate.
 */
export type IdPrefix =
  'run' | 'rec' | 'prn' | 'key' | 'dec' | 'swp' | 'ins' | 'req' | 'src' | 'dlv' | 'sig' | 'inc' | 'mnt' | 'crt';

/** Makes identifiers `<prefix>_<ULID>` that sort by time and never repeat within a process. */
export type Ids = (prefix: IdPrefix) => string;

/** Creates an identifier maker on a clock. */
export function createIds(clock: Clock): Ids {
  const next = monotonicFactory(pooledRandom());
  return (prefix) => `${prefix}_${next(clock.now())}`;
}

// One system call fills the pool for hundreds of identifiers: a call per character would cost more than the rest.
function pooledRandom(): () => number {
  const pool = new Uint32Array(1024);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    return (pool[used++] ?? 0) / 0x1_0000_0000;
  };
}
