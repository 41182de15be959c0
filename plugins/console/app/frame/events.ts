import { useEffect, useRef, useState } from 'preact/hooks';
import { withQuery } from './api.ts';
import { useSession } from './session.ts';

/** An event of the platform: names and ids. */
export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** How the stream is. */
export type LiveState = 'connecting' | 'live' | 'waiting';

/** All events of runs, in the order in which they can happen. */
export const runEvents = [
  'run.queued',
  'run.started',
  'run.completed',
  'run.failed',
  'run.timed_out',
  'run.indeterminate',
  'run.cancelled',
  'run.denied',
  'run.resolved',
] as const;

const retryMs = 3000;

/**
 * Follows events of these types (exact names) while the page is seen. The browser resumes a stream that breaks. `onOpen`
 * is called whenever a stream opens, since events may have been missed before: read again what is shown. A key that may
 * read no events follows none.
 */
export function useEvents(
  types: readonly string[],
  onEvent: (event: LiveEvent) => void,
  onOpen: () => void = () => undefined,
): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const handlers = useRef({ onEvent, onOpen });
  handlers.current = { onEvent, onOpen };
  const wanted = useSession().listens ? types.join(',') : '';
  useEffect(() => {
    if (wanted === '') return undefined;
    return followStream(wanted, setState, {
      onEvent: (event) => handlers.current.onEvent(event),
      onOpen: () => handlers.current.onOpen(),
    });
  }, [wanted]);
  return state;
}

interface Handlers {
  onEvent(event: LiveEvent): void;
  onOpen(): void;
}

// A page that nobody sees holds no connection: a browser has six for one address, shared by all its tabs.
function followStream(types: string, setState: (state: LiveState) => void, { onEvent, onOpen }: Handlers): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const close = (): void => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const open = (): void => {
    close();
    const stream = new EventSource(withQuery('/events', { types }));
    source = stream;
    stream.addEventListener('open', () => {
      setState('live');
      onOpen();
    });
    stream.addEventListener('error', () => {
      setState('waiting');
      // The browser resumes by itself unless the server refused.
      if (stream.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs);
    });
    for (const type of types.split(','))
      stream.addEventListener(type, (message) => onEvent(JSON.parse(String(message.data)) as LiveEvent));
  };
  const seen = (): void => (document.hidden ? close() : source === undefined ? open() : undefined);
  document.addEventListener('visibilitychange', seen);
  seen();
  return () => {
    document.removeEventListener('visibilitychange', seen);
    close();
  };
}
