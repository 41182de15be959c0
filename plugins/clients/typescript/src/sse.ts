/** A server-sent event. */
export interface Sse {
  readonly event: string;
  /** The id of the last event that had one. */
  readonly id: string;
  readonly data: string;
}

/** What a reader of server-sent events knows. */
export interface SseReader {
  /** Takes bytes, and answers the events that are whole now. */
  push(bytes: Uint8Array): Sse[];
  /** The id of the last block that was whole. */
  readonly id: string;
}

/** Makes a reader of server-sent events (WHATWG HTML, 9.2.6). A block that is cut counts for nothing, its id neither. */
export function sseReader(): SseReader {
  const decoder = new TextDecoder();
  let rest = '';
  let [id, waitingId, event] = ['', '', ''];
  let data: string[] = [];
  const field = (line: string, found: Sse[]): void => {
    if (line === '') {
      id = waitingId;
      if (data.length > 0) found.push({ event: event || 'message', id, data: data.join('\n') });
      [event, data] = ['', []];
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) waitingId = value;
  };
  return {
    push(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      // The half of a CRLF at the end waits for its other half.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      const found: Sse[] = [];
      for (const line of lines) field(line, found);
      return found;
    },
    get id() {
      return id;
    },
  };
}
