/** A server-sent event. */
export interface Sse {
  readonly event: string;
  /** The id of the last event that had one. */
  readonly id: string;
  readonly data: string;
}

/** Makes a reader of server-sent events (WHATWG HTML, 9.2.6). A block that is cut counts for nothing, its id neither. */
export function sseReader() {
  const decoder = new TextDecoder();
  let rest = '';
  let [id, waitingId, event] = ['', '', ''];
  let data: string[] = [];
  const field = (line: string): Sse[] => {
    if (line === '') {
      id = waitingId;
      const found = data.length > 0 ? [{ event: event || 'message', id, data: data.join('\n') }] : [];
      [event, data] = ['', []];
      return found;
    }
    // A colon at the start begins a comment.
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) waitingId = value;
    return [];
  };
  return {
    /** Takes bytes, and answers the events that are whole now. */
    push(bytes: Uint8Array): Sse[] {
      rest += decoder.decode(bytes, { stream: true });
      // The half of a CRLF at the end waits for its other half.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines.flatMap(field);
    },
    /** The id of the last block that was whole. */
    get id() {
      return id;
    },
  };
}
