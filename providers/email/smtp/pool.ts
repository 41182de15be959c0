import { ProviderError } from '../../../kernel/adapter.ts';
import type { Session } from './session.ts';

/** A pool of sessions kept across messages: at most `max` at a time; further callers wait in order. */
export type Pool = ReturnType<typeof createPool>;

/** Settings of a pool: how to open a session, the most sessions, and the longest idle time in ms. */
export interface PoolSettings {
  readonly open: (signal: AbortSignal) => Promise<Session>;
  readonly max: number;
  readonly idle_ms: number;
}

// Servers limit messages per session; a new session also picks up a changed DNS record.
const maxMessages = 100;

/** Creates a pool; it opens nothing before the first `take`. It sends no messages, so it never repeats one. */
export function createPool({ open, max, idle_ms }: PoolSettings) {
  const places = createPlaces(max);
  const busy = new Set<Session>();
  const idle = new Map<Session, NodeJS.Timeout>();
  const leaving = new Set<Promise<void>>();
  let closed = false;

  const leave = (session: Session): void => {
    const gone = session.quit().finally(() => leaving.delete(gone));
    leaving.add(gone);
  };
  const retire = (session: Session): void => {
    clearTimeout(idle.get(session));
    idle.delete(session);
    leave(session);
  };

  return {
    /** Returns a session for exclusive use. Throws ProviderError `not_sent` when the signal aborts, or open's error. */
    async take(signal: AbortSignal) {
      await places.take(signal);
      try {
        const session = takeIdle(idle) ?? (await open(signal));
        busy.add(session);
        return session;
      } catch (error) {
        places.give();
        throw error;
      }
    },
    /** Takes a session back, also a failed one. */
    give(session: Session) {
      busy.delete(session);
      if (!session.closed && (closed || session.sent >= maxMessages)) leave(session);
      else if (!session.closed) idle.set(session, setTimeout(retire, idle_ms, session).unref());
      places.give();
    },
    /** Ends all sessions; resolves when they are closed. */
    async close() {
      closed = true;
      for (const session of busy) session.destroy();
      for (const session of idle.keys()) retire(session);
      await Promise.all(leaving);
    },
  };
}

/** Takes the most recently used session, so that the others stay idle long enough to be closed. */
function takeIdle(idle: Map<Session, NodeJS.Timeout>): Session | undefined {
  for (const [session, timer] of [...idle].reverse()) {
    clearTimeout(timer);
    idle.delete(session);
    if (!session.closed) return session;
  }
  return undefined;
}

function createPlaces(max: number) {
  const waiting = new Set<() => void>();
  let free = max;
  return {
    async take(signal: AbortSignal) {
      if (signal.aborted) throw tooLate();
      if (free > 0) {
        free -= 1;
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const enter = (): void => resolve(undefined);
      const onAbort = (): void => (waiting.delete(enter) ? reject(tooLate()) : undefined);
      waiting.add(enter);
      signal.addEventListener('abort', onAbort, { once: true });
      await promise.finally(() => signal.removeEventListener('abort', onAbort));
    },
    give() {
      const [next] = waiting;
      if (next === undefined) free += 1;
      else if (waiting.delete(next)) next();
    },
  };
}

function tooLate(): ProviderError {
  return new ProviderError('not_sent', 'the deadline passed while waiting for a free connection', { phase: 'pool' });
}
