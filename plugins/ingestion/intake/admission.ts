import { PlatformError, within, type RequestInfo } from '../../../kernel/index.ts';
import type { Backlog } from '../deliveries/queue/backlog.ts';

/**
 * Limits for waiting work: most deliveries in the queue, most bytes of bodies that are read at the same time, and how long
 * a body may take to arrive.
 */
type AdmissionLimits = Readonly<Record<'most_queued' | 'most_bytes' | 'read_ms', number>>;

/** Refuses deliveries while too many wait. */
export type Admission = ReturnType<typeof createAdmission>;

// Largest share of the queue for one source: a paused or busy source must not make the intake refuse the others.
const share = 0.5;

/** Creates the guard. */
export function createAdmission(limits: AdmissionLimits, waiting: Pick<Backlog, 'depth' | 'depthOf'>) {
  let reserved = 0;
  return {
    /** Admits one delivery of a source before its body is read. Throws 503 `overloaded`. */
    admit(sourceId: string): void {
      if (waiting.depth() >= limits.most_queued || waiting.depthOf(sourceId) >= limits.most_queued * share)
        throw new PlatformError('overloaded', 'too many deliveries are waiting; send again later', { retry_after: 5 });
    },
    /** Reads a body within its limits. Throws 413, 503 `overloaded`. */
    async read(call: RequestInfo, limit: number): Promise<Uint8Array> {
      const declared = Number(call.headers['content-length'] ?? limit);
      const bytes = Math.min(Number.isFinite(declared) ? declared : limit, limit);
      if (reserved + bytes > limits.most_bytes)
        throw new PlatformError('overloaded', 'too many deliveries are arriving; send again later', { retry_after: 5 });
      reserved += bytes;
      const body = call.readBody(limit);
      // A body that is too slow keeps its memory until its connection ends, so it stays reserved until then.
      const free = (): void => void (reserved -= bytes);
      body.then(free, free);
      return within(limits.read_ms, body, () => {
        // Closing the connection stops the rest of the body from arriving.
        const more = { retry_after: 5, headers: { Connection: 'close' } };
        throw new PlatformError('overloaded', `the body did not arrive within ${limits.read_ms} ms`, more);
      });
    },
  };
}
