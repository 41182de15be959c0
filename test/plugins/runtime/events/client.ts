import { EventSource } from 'eventsource';
import { until } from '../../../helpers/until.ts';

/** An event as a client of the npm package `eventsource` hears it. */
export interface Heard {
  readonly type: string;
  readonly id: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into events of any shape
  readonly data: any;
}

/** A client that listens to some types, and what it has heard. */
export interface Client {
  readonly heard: Heard[];
  readonly source: EventSource;
  /** Waits until it is connected. */
  opened(): Promise<unknown>;
  /** Waits until it has heard so many events. */
  count(most: number): Promise<readonly Heard[]>;
  close(): void;
}

const types = [
  ...['run.queued', 'run.started', 'run.completed', 'run.failed', 'run.denied', 'run.cancelled'],
  ...['run.indeterminate', 'run.resolved', 'swap.completed', 'health.changed', 'policy.activated'],
  ...['incident.opened', 'incident.resolved', 'key.created', 'key.revoked', 'signing_key.rotated', 'gap', 'end'],
];

/** Listens as a program would: it connects again by itself, and goes on after the last id. */
export function listen(url: () => string, key: string, from?: string): Client {
  const heard: Heard[] = [];
  // Its address is fixed; a server that was started again has another port.
  const base = 'http://events.invalid';
  const source = new EventSource(base, {
    fetch: (_, init) => {
      const headers: Record<string, string> = { ...init.headers, authorization: `Bearer ${key}` };
      if (from !== undefined) headers['last-event-id'] ??= from;
      return fetch(url(), { ...init, headers });
    },
  });
  let opens = 0;
  source.addEventListener('open', () => opens++);
  for (const type of types)
    source.addEventListener(type, ({ lastEventId, data }: MessageEvent) => {
      heard.push({ type, id: lastEventId, data: JSON.parse(String(data)) as unknown });
    });
  return {
    heard,
    source,
    // A short stream may be over before anybody looks.
    opened: () =>
      until(
        () => opens,
        (found) => found > 0,
        'a connection',
        10,
      ),
    count: (most) =>
      until(
        () => heard,
        (found) => found.length >= most,
        `${most} events`,
        10,
      ),
    close: () => source.close(),
  };
}
