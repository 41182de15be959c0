import { every, reply, type Reply, type RequestInfo } from '../../../kernel/index.ts';
import { eventText } from '../../runtime/contract.ts';

/** Sends messages to the client of one stream. */
export interface Events {
  /** `id`: what a client that connects again sends as `Last-Event-ID`. */
  send(message: object, id?: string): void;
  /** Sends at once what opens the answer: an event without a message that gives the client an id, or a comment. */
  prime(id?: string): void;
  /** Calls back when the client has closed the stream. */
  onGone(callback: () => void): void;
}

type Work = (events: Events) => Promise<object | undefined>;

const keepAliveMs = 15_000;
// A client that does not read holds no more than this, and the last message.
const mostWaiting = 1000;

/**
 * Answers with a stream of server-sent events: what `work` sends, and at the end the message that it resolves to, if any. A
 * comment every 15 seconds keeps proxies from closing it. `work` goes on when the client closes the stream.
 */
export function eventStream(work: Work, info: Pick<RequestInfo, 'disconnected'>): Reply {
  return reply({
    type: 'text/event-stream',
    // A proxy that compresses or collects the stream would hold its events back. (RFC 9111, 5.2.2.6.)
    headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
    stream: parts(work, info.disconnected),
  });
}

async function* parts(work: Work, gone: AbortSignal): AsyncIterable<string> {
  const queue = new Queue();
  const end = (): void => queue.end();
  const stop = every(keepAliveMs, () => queue.add(': still here\n\n'), end);
  gone.addEventListener('abort', end, { once: true });
  const events: Events = {
    send: (message, id) => queue.add(eventText({ event: 'message', id, data: message })),
    prime: (id) => queue.add(id === undefined ? ': open\n\n' : `id: ${id}\ndata:\n\n`),
    onGone: (callback) => gone.addEventListener('abort', callback, { once: true }),
  };
  let failure: { readonly error: unknown } | undefined;
  work(events)
    .then((last) => queue.end(last && eventText({ event: 'message', data: last })))
    .catch((error: unknown) => {
      failure = { error };
      end();
    });
  try {
    for (let text = await queue.next(); text !== undefined; text = await queue.next()) yield text;
  } finally {
    stop();
    gone.removeEventListener('abort', end);
  }
  if (failure !== undefined) throw failure.error;
}

/** Texts that wait to be read; nothing is added after the end. */
class Queue {
  readonly #texts: string[] = [];
  #wake: () => void = () => undefined;
  #over = false;

  add(text: string): void {
    if (this.#over || this.#texts.length >= mostWaiting) return;
    this.#texts.push(text);
    this.#wake();
  }

  /** Ends the queue; `last` is read whatever waits before it. */
  end(last?: string): void {
    if (this.#over) return;
    this.#over = true;
    if (last !== undefined) this.#texts.push(last);
    this.#wake();
  }

  /** Resolves to the next text; undefined at the end. */
  async next(): Promise<string | undefined> {
    while (this.#texts.length === 0) {
      if (this.#over) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#texts.shift();
  }
}
