import { operation, type Log, type Store } from '../../../kernel/index.ts';
import { services, type ServiceName, type Status } from '../contract.ts';
import { statusPart, type MeasuredSpan, type Turn } from './store.ts';
import { each, type Span } from './measure.ts';
import type { Lanes } from './uptime.ts';

/** Stores measured statuses, and keeps those that are not written yet. */
export type Recorder = ReturnType<typeof createRecorder>;

// Limits memory during a long outage of the store; the oldest entries are dropped first.
const mostWaiting = 10_000;

/** Creates a recorder that has measured nothing yet. */
export function createRecorder({ store, log }: { readonly store: Pick<Store, 'write'>; readonly log: Log }) {
  const now = new Map<ServiceName, Turn>();
  let waiting: readonly Turn[] = [];
  let unwritten: readonly MeasuredSpan[] = [];
  let writing = false;
  const write = (): void => {
    if (writing || waiting.length === 0) return;
    writing = true;
    const sent = waiting;
    store
      .write(sent.map((turn) => operation(statusPart, 'turn', turn)))
      .then(() => {
        waiting = waiting.filter((turn) => !sent.includes(turn));
        if (waiting.length === 0) unwritten = [];
      })
      .catch((err: unknown) => log.debug({ err }, 'a measured status could not be stored; the server tries again'))
      .finally(() => (writing = false));
  };
  const turn = (next: Turn): void => {
    const before = now.get(next.service);
    if (before !== undefined && before.status !== 'operational')
      unwritten = [...unwritten, spanOf(before, next.at)].slice(-mostWaiting);
    now.set(next.service, next);
    waiting = [...waiting, next].slice(-mostWaiting);
  };
  return {
    /** Notes the status of each service at a moment, ms; also retries what could not be written before. */
    note(found: Readonly<Record<ServiceName, Status>>, at: number) {
      for (const service of services)
        if (now.get(service)?.status !== found[service]) turn({ service, at, status: found[service] });
      write();
    },
    /** Adds the spans that are only in memory to the spans read from the store. */
    complete: (read: readonly MeasuredSpan[]): Lanes =>
      each((service) => [
        ...read.filter((span) => span.service === service).map((span) => ended(span, now.get(service))),
        ...unwritten.filter((span) => span.service === service),
        ...current(now.get(service)),
      ]),
  };
}

function spanOf({ service, at, status }: Turn, to: number): MeasuredSpan {
  return { service, status, from: at, to: Math.max(at, to) };
}

function current(turn: Turn | undefined): readonly Span[] {
  return turn === undefined || turn.status === 'operational' ? [] : [{ from: turn.at, status: turn.status }];
}

// A span that is open in the store ended at the service's last turn; if it is the current span, `current` adds the
// rest.
function ended(span: MeasuredSpan, now: Turn | undefined): Span {
  if (span.to !== undefined || now === undefined) return span;
  return { ...span, to: Math.max(span.from, now.at) };
}
