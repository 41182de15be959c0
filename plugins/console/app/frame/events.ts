import { useEffect, useRef, useState } from 'preact/hooks';
import { sessionMayDiffer } from './api.ts';
import { openStream } from './event-stream.ts';
import type { LiveEvent, LiveState, WindowMessage } from './live-event.ts';
import { useSession } from './session.ts';
import { SharedStream, type StreamPorts } from './shared-stream.ts';

/** The events of runs that end. */
export const endedEvents = [
  ...(['run.completed', 'run.failed', 'run.timed_out', 'run.indeterminate', 'run.cancelled', 'run.denied'] as const),
];

/** All events of runs, in the order in which they can happen. */
export const runEvents = ['run.queued', 'run.held', 'run.started', ...endedEvents, 'run.resolved'] as const;

/**
 * Follows events of these types (exact names) while the page is visible. All windows of the browser share one stream,
 * since a browser has six connections for one address. `onOpen` is called when events may have been missed: read the
 * shown data again. A key that may read no events follows none.
 */
export function useEvents(
  types: readonly string[],
  onEvent: (event: LiveEvent) => void,
  onOpen: () => void = () => undefined,
): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const handlers = useRef({ onEvent, onOpen });
  handlers.current = { onEvent, onOpen };
  const { listens, key_id: keyId } = useSession();
  const wanted = listens ? types.join(',') : '';
  useEffect(() => {
    if (wanted === '') return undefined;
    return streamOf(keyId).follow({
      types: wanted.split(','),
      onEvent: (event) => handlers.current.onEvent(event),
      onOpen: () => handlers.current.onOpen(),
      onState: setState,
    });
  }, [wanted, keyId]);
  return state;
}

let current: { readonly keyId: string; readonly stream: SharedStream } | undefined;

// Windows of another key have another channel and another lock.
function streamOf(keyId: string): SharedStream {
  if (current?.keyId === keyId) return current.stream;
  const stream = new SharedStream(portsOf(keyId));
  current = { keyId, stream };
  const look = ({ type }: { readonly type: string }): void =>
    stream.setAway(document.hidden || type === 'pagehide' || type === 'freeze');
  for (const type of ['visibilitychange', 'freeze', 'resume']) document.addEventListener(type, look);
  for (const type of ['pagehide', 'pageshow']) addEventListener(type, look);
  look({ type: '' });
  return stream;
}

function portsOf(keyId: string): StreamPorts {
  const name = `orb-events:${keyId}`;
  const ports: StreamPorts = {
    window: crypto.randomUUID(),
    keyId,
    open: openStream,
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    onOther: sessionMayDiffer,
  };
  // Both are absent from old browsers; each window has a stream of its own there.
  if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) return ports;
  return {
    ...ports,
    lock: (options, held) => navigator.locks.request(name, options, held),
    join(onMessage) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = ({ data }) => onMessage(data as WindowMessage);
      return { post: (message) => channel.postMessage(message), close: () => channel.close() };
    },
  };
}
