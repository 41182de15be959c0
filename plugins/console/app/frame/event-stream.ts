import type { LiveEvent } from './live-event.ts';

/** What one stream reports. */
export interface StreamHandlers {
  /** The server answered, to the caller whose key has this id. */
  onOpen(keyId: string | null): void;
  /** The stream lives. `id`: where to resume; `event`: what happened; `gap`: events before it are gone. */
  onPart(part: { readonly id?: string; readonly event?: LiveEvent; readonly gap?: true }): void;
  /**
   * It ended or could not be opened; it is called once, and never after `close`. `byServer`: the server ended it, or
   * refused the session.
   */
  onEnd(byServer: boolean): void;
}

/** What of a stream's path and start is chosen. */
export interface StreamStart {
  readonly path: string;
  /** Where to resume. */
  readonly lastId: string | undefined;
}

/**
 * Opens a stream of server-sent events and returns what closes it. An `EventSource` can neither resume after another
 * window nor read for which key the server opened the stream.
 */
export function openStream({ path, lastId }: StreamStart, handlers: StreamHandlers): () => void {
  const stop = new AbortController();
  const read = async (): Promise<boolean> => {
    const answer = await fetch(path, {
      headers: {
        accept: 'text/event-stream',
        'orb-console': '1',
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      },
      cache: 'no-store',
      signal: stop.signal,
    });
    if (!answer.ok || answer.body === null) return answer.status === 401;
    handlers.onOpen(answer.headers.get('orb-key-id'));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ;) {
      const { done, value } = await reader.read();
      if (done || stop.signal.aborted) return done;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) if (!stop.signal.aborted) handlers.onPart(partOf(block));
    }
  };
  const end = (byServer: boolean): void => void (stop.signal.aborted || handlers.onEnd(byServer));
  read().then(end, () => end(false));
  return () => stop.abort();
}

/** Reads one block of a stream. */
export function partOf(block: string): Parameters<StreamHandlers['onPart']>[0] {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trimStart());
  }
  const [id, type, data] = ['id', 'event', 'data'].map((name) => fields.get(name));
  return {
    ...(id === undefined ? {} : { id }),
    ...(type === 'gap' ? { gap: true } : {}),
    ...(type === undefined || type === 'gap' || data === undefined ? {} : { event: JSON.parse(data) as LiveEvent }),
  };
}
