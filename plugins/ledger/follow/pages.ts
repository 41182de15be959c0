import type { Awaitable } from '../../../kernel/index.ts';
import type { LogEntry, LogVector } from '../../receipts/contract.ts';

/** Reads pages of `size` entries, each after the one before; waiting requests run in between. */
export async function* pagesOf(
  from: LogVector,
  size: number,
  next: (read: LogVector) => Awaitable<readonly LogEntry[]>,
): AsyncGenerator<readonly LogEntry[]> {
  const read = new Map(from);
  for (;;) {
    const entries = await next(read);
    for (const { index, origin } of entries) read.set(origin, index + 1);
    yield entries;
    if (entries.length < size) return;
    await breath();
  }
}

/** Lets waiting requests run first, for `ms` milliseconds. */
export function breath(ms = 0): Promise<void> {
  return new Promise((resolve) => void (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
}
