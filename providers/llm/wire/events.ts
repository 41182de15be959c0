/** An event of a stream. */
export interface ServerEvent {
  readonly event?: string | undefined;
  readonly data: string;
}

/** Thrown for a stream that no vendor sends: too large an event or answer. */
export class BrokenStream extends Error {}

const mostOfEvent = 16 * 2 ** 20;
const mostOfAnswer = 64 * 2 ** 20;

/** Reads the events of one body that end in its next piece. Throws BrokenStream. */
export type EventFeed = (piece: Buffer) => readonly ServerEvent[];

/** Loads the parser; without it no stream is read. Each call of what it makes begins a body. */
export async function loadEvents(): Promise<() => EventFeed> {
  const { createParser } = await import('eventsource-parser');
  return () => {
    let found: ServerEvent[] = [];
    let full = false;
    const parser = createParser({
      onEvent: (event) => found.push(event),
      onError: ({ type }) => (full ||= type === 'max-buffer-size-exceeded'),
      maxBufferSize: mostOfEvent,
    });
    const decoder = new TextDecoder();
    let length = 0;
    return (piece) => {
      if (full) throw new BrokenStream('an event is too long');
      length += piece.length;
      if (length > mostOfAnswer) throw new BrokenStream('the answer is too long');
      parser.feed(decoder.decode(piece, { stream: true }));
      const events = found;
      found = [];
      return events;
    };
  };
}
