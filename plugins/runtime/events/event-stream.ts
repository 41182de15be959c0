/** One event of a stream of server-sent events (WHATWG HTML, 9.2). */
export interface SentEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: unknown;
}

/** Writes one event; its data becomes JSON in one line. */
export function eventText({ event, id, data }: SentEvent): string {
  const named = event === undefined ? '' : `event: ${event}\n`;
  const placed = id === undefined ? '' : `id: ${id}\n`;
  return `${named}${placed}data: ${JSON.stringify(data)}\n\n`;
}

/** An event as a client reads it. */
export interface ReadEvent {
  readonly event: string;
  /** The id of the last event that had one; empty: none had. */
  readonly id: string;
  /** Empty: the event only moved the id. */
  readonly data: string;
}

/** Reads the events out of the body of an answer. */
export async function* readEvents(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<ReadEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).map((line) => /^([^:]*): ?(.*)$/.exec(line));
      const of = (name: string): string | undefined => fields.filter((field) => field?.[1] === name).at(-1)?.[2];
      id = of('id') ?? id;
      yield { event: of('event') ?? 'message', id, data: of('data') ?? '' };
    }
  }
}
