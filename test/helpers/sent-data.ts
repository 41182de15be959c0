import { readEvents } from '../../plugins/runtime/events/event-stream.ts';

/** Reads the data of server-sent events out of a body; an event without data is left out. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  for await (const { data } of readEvents(body)) if (data !== '') yield data;
}
