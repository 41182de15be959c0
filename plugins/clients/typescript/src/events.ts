import { OrbError } from './error.ts';
import { codeOf } from './persist.ts';
import { sseReader, type Sse } from './sse.ts';
import type { EventOptions, Json, OrbEvent } from './surface.ts';
import { backoffMs, retryAfterMs, rowOf, unlisted } from './table.ts';
import { defined } from './verify/object.ts';
import { send, sleep, within, type Heard, type Scope } from './wire.ts';

const connectMs = 30_000;
// The server sends something at least every 15 seconds.
const quietMs = 45_000;

/** Yields the events of a body as they come, until it ends, breaks off or is quiet for too long, or the signal. */
export async function* eventsOf(
  { body, close }: Pick<Heard, 'body' | 'close'>,
  reader: ReturnType<typeof sseReader>,
  { time }: Pick<Scope, 'time'>,
  signal?: AbortSignal,
): AsyncGenerator<Sse> {
  const bytes = body?.getReader();
  try {
    while (bytes !== undefined) {
      const until = { end: time.now() + quietMs, signal };
      const part = await within({ time }, until, () => bytes.read().catch(() => undefined));
      if (typeof part !== 'object' || part.value === undefined) return;
      yield* reader.push(part.value);
    }
  } finally {
    close?.();
  }
}

/** Yields events; connects again and goes on after the last one, until the run of `runId` has ended or the signal. */
export async function* events(
  scope: Scope,
  { after = '', runId, signal, types }: EventOptions = {},
): AsyncGenerator<OrbEvent> {
  const { options, time } = scope;
  let position = after;
  for (let failed = 0; signal?.aborted !== true;) {
    const heard = await send(scope, {
      ...{ method: 'GET', path: '/events', query: { types, run_id: runId }, stream: true },
      headers: defined({ accept: 'text/event-stream', 'last-event-id': position || undefined }),
      ...{ end: time.now() + connectMs, signal },
    });
    if (heard.status === 204) return;
    failed += 1;
    const reader = sseReader();
    for await (const sent of eventsOf(heard, reader, scope, signal)) {
      failed = 1;
      if (sent.event === 'end') return;
      position = sent.id || position;
      yield eventOf(sent, position);
    }
    position = reader.id || position;
    if (heard.status !== 0 && heard.body === undefined) refuse(heard, failed >= (options.tries ?? Infinity));
    const wait = retryAfterMs(heard.headers.get('retry-after'), time.now()) ?? backoffMs(failed, time.random());
    await sleep(scope, wait, { end: Infinity, signal });
  }
}

// Throws for an answer after which no other try helps.
function refuse(heard: Heard, isLast: boolean): void {
  const code = codeOf(heard);
  const fatal = rowOf(code, heard.status).retry === 'never' && unlisted(heard.status) === 'rejected';
  if (fatal || isLast) throw new OrbError(code, `the events cannot be read: ${code}`);
}

function eventOf({ data: text, event, id: place }: Sse, position: string): OrbEvent {
  const read = JSON.parse(text) as { id?: string; type?: string; timestamp?: string; data?: Json };
  const { data = {}, id, timestamp, type } = read;
  if (typeof type !== 'string') return { type: event, position: place, data: read as object as Json };
  return defined({ type, position, data, id, timestamp });
}
