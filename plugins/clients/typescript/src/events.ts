import type { Scope } from './ask.ts';
import { OrbError } from './error.ts';
import { defined } from './verify/object.ts';
import { problemOf, sleep } from './persist.ts';
import { sseReader, type Sse, type SseReader } from './sse.ts';
import { backoffMs, retryAfterMs, rowOf, unlisted } from './table.ts';
import { send, type Answered, type Wire } from './wire.ts';
import type { EventOptions, Json, OrbEvent } from './surface.ts';

const connectMs = 30_000;
// The server sends something at least every 15 seconds.
const quietMs = 45_000;

/** Yields the events of a body as they come; ends when it ends, breaks off or is quiet for too long. */
export async function* eventsOf(
  { body, close }: Pick<Answered, 'body' | 'close'>,
  reader: SseReader,
  { time }: Pick<Wire, 'time'>,
): AsyncGenerator<Sse> {
  const bytes = body?.getReader();
  try {
    while (bytes !== undefined) {
      const stop = time.after(quietMs, () => close?.());
      const reading = bytes.read().catch(() => undefined);
      const part = await reading.finally(stop);
      if (part?.value === undefined) return;
      yield* reader.push(part.value);
    }
  } finally {
    close?.();
  }
}

/** Yields events; connects again and goes on after the last one, until the run of `runId` has ended or the signal. */
export async function* events(
  { options: { tries = Infinity }, wire }: Scope,
  { after = '', runId, signal, types }: EventOptions = {},
): AsyncGenerator<OrbEvent> {
  let position = after;
  for (let failed = 0; signal?.aborted !== true;) {
    const heard = await send(wire, {
      ...{ method: 'GET', path: '/events', query: { types, run_id: runId }, stream: true, signal },
      headers: defined({ accept: 'text/event-stream', 'last-event-id': position || undefined }),
      deadline: wire.time.now() + connectMs,
    });
    if (heard.kind === 'answered' && heard.status === 204) return;
    failed += 1;
    if (heard.kind === 'answered' && heard.body !== undefined) {
      const reader = sseReader();
      for await (const sent of eventsOf(heard, reader, wire)) {
        failed = 1;
        if (sent.event === 'end') return;
        position = sent.id || position;
        yield eventOf(sent, position);
      }
      position = reader.id || position;
    } else if (heard.kind === 'answered') refuse(heard, failed >= tries);
    const asked = heard.kind === 'answered' ? heard.headers.get('retry-after') : null;
    const wait = retryAfterMs(asked, wire.time.now()) ?? backoffMs(Math.max(1, failed), wire.time.random());
    await sleep(wire, wait, signal);
  }
}

// Throws for an answer after which no other try helps.
function refuse(heard: Answered, isLast: boolean): void {
  const code = problemOf(heard)?.code ?? `http_${heard.status}`;
  const fatal = rowOf(code, heard.status).retry === 'never' && unlisted(heard.status) === 'rejected';
  if (fatal || isLast) throw new OrbError(code, `the events cannot be read: ${code}`);
}

function eventOf({ data: text, event, id: place }: Sse, position: string): OrbEvent {
  const read = JSON.parse(text) as { id?: string; type?: string; timestamp?: string; data?: Json };
  const { data = {}, id, timestamp, type } = read;
  if (typeof type !== 'string') return { type: event, position: place, data: read as object as Json };
  return defined({ type, position, data, id, timestamp });
}
