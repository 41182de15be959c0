import { every, type Clock, type Log } from '../../../kernel/index.ts';
import type { Engine } from './engine.ts';

const hourMs = 3_600_000;
// How long events of incidents that are over are kept, ms: debt decays within 98 days of an incident's end.
const keptMs = 120 * 86_400_000;

/** Forgets, hourly, the events of incidents that have long been over; changes and receipts stay. Answers how to stop. */
export function forgetRegularly(
  engine: Pick<Engine, 'forget'>,
  clock: Pick<Clock, 'now'>,
  log: Pick<Log, 'warn'>,
): () => void {
  return every(
    hourMs,
    () => engine.forget(clock.now() - keptMs),
    (err) => log.warn({ err }, 'events of old incidents could not be forgotten; the server tries again in an hour'),
  );
}
