import { readFileSync } from 'node:fs';

/** How many connections are kept, and for how long if the client does not read its response. */
export interface ConnectionLimits {
  /** Connections of all listeners together. */
  readonly total: number;
  /** Connections of one address (of IPv6: one /64); peers in `trust_proxy` are not counted: they serve many callers. */
  readonly per_address: number;
  /** Requests of one principal that are worked on at once, of all its connections. */
  readonly per_caller: number;
  /** Answers that are held open at once: waits and streams, of all callers. */
  readonly held: number;
  /** Milliseconds in which the client took no byte. */
  readonly unread_ms: number;
}

/** Chooses limits that leave at least half of the process's descriptors for other use. */
export function defaultLimits(descriptors: number = openFiles()): ConnectionLimits {
  const total = Math.max(16, Math.min(8192, Math.floor(descriptors / 2)));
  const half = Math.floor(total / 2);
  return { total, per_address: Math.min(1024, half), per_caller: Math.floor(total / 4), held: half, unread_ms: 30_000 };
}

// Node raises its limit to the hard limit at the start. Systems other than Linux do not show it.
function openFiles(): number {
  try {
    const found = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === 'unlimited' ? Infinity : Number(found ?? 1024);
  } catch {
    return 1024;
  }
}
