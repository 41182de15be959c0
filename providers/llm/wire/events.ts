/** An event of a stream. */
export interface ServerEvent {
  readonly event?: string | undefined;
  readonly data: string;
}

/** Thrown for a stream that no vendor sends: too large an event or answer. */
export class BrokenStream extends Error {}

const mostOfEvent = 16 * 2 ** 20;
const mostOfAnswer = 64 * 2 ** 20;

/** Reads the events of a body; `alive` is called for everything that comes, comments too. Throws BrokenStream. */
export type ReadEvents = (body: AsyncIterable<Buffer>, alive: () => void) => AsyncGenerator<ServerEvent>;

/** Loads the parser; without it no stream is read. */
export async function loadEvents(): Promise<ReadEvents> {
  const { createParser } = await import('eventsource-parser');
  return async function* readEvents(body, alive) {
    const found: ServerEvent[] = [];
    let full = false;
    const parser = createParser({
      onEvent: (event) => found.push(event),
      onError: ({ type }) => (full ||= type === 'max-buffer-size-exceeded'),
      maxBufferSize: mostOfEvent,
    });
    const decoder = new TextDecoder();
    let length = 0;
    for await (const chunk of body) {
      alive();
      length += chunk.length;
      if (length > mostOfAnswer) throw new BrokenStream('the answer is too long');
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* found.splice(0);
      if (full) throw new BrokenStream('an event is too long');
    }
  };
}
