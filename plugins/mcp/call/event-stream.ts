import { every, reply, type Reply, type RequestInfo } from '../../../kernel/index.ts';

/** Sends messages to the client of one stream. */
export interface Events {
  send(message: object): void;
}

const keepAliveMs = 15_000;

/**
 * Answers with a stream of server-sent events: what `work` sends, and at the end the message that it resolves to. A
 * comment every 15 seconds keeps proxies from closing it. `work` goes on when the client closes the stream.
 */
export function eventStream(work: (events: Events) => Promise<object>, info: Pick<RequestInfo, 'disconnected'>): Reply {
  return reply({
    type: 'text/event-stream',
    headers: { 'X-Accel-Buffering': 'no' },
    stream: parts(work, info.disconnected),
  });
}

async function* parts(work: (events: Events) => Promise<object>, gone: AbortSignal): AsyncIterable<string> {
  const waiting: string[] = [];
  let wake: () => void = () => undefined;
  let over = false;
  let failure: { readonly error: unknown } | undefined;
  const send = (text: string): void => {
    waiting.push(text);
    wake();
  };
  const end = (): void => {
    over = true;
    wake();
  };
  const stop = every(keepAliveMs, async () => send(': still here\n\n'), end);
  gone.addEventListener('abort', end, { once: true });
  work({ send: (message) => send(eventOf(message)) })
    .then((last) => send(eventOf(last)))
    .catch((error: unknown) => (failure = { error }))
    .finally(end);
  try {
    for (;;) {
      const text = waiting.shift();
      if (text !== undefined) yield text;
      else if (over) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
    gone.removeEventListener('abort', end);
  }
  if (failure !== undefined) throw failure.error;
}

function eventOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
