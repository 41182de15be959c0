import type { Exactly, Infer, ProviderError } from '../../../kernel/adapter.ts';
import { openOutbound, type Outbound } from '../../../kernel/outbound.ts';
import { hostAndPort } from '../connection/remedy.ts';
import { transportFailure } from './failure.ts';
import { Receiver } from './receiver.ts';
import type { transportSettings } from './settings.ts';

/** Settings for reaching a vendor; `base_url`: scheme, host and port. */
type ClientSettings = Infer<Exactly<typeof transportSettings>> & { readonly base_url: string };

/** One request; header names in lower case. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A vendor's answer; `body` is undefined when it was lost, too long or not JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** A vendor's answer whose body still comes; a connection is ended whose rest does not come soon after the last read. */
export interface OpenAnswer extends Omit<Answer, 'body'> {
  readonly body: AsyncIterable<Buffer>;
}

/** A pool of kept connections to one vendor. */
export interface Client {
  /** Makes one request, once, and follows no redirect. Throws ProviderError `not_sent` or `unknown`. */
  call(call: Call, signal: AbortSignal): Promise<Answer>;
  /** Makes one request, once, and leaves the body of its answer to the caller. Throws as `call` does. */
  open(call: Call, signal: AbortSignal): Promise<OpenAnswer>;
  /** Aborts all connections; resolves when they are closed. */
  close(): Promise<void>;
}

const usualAnswerBytes = 65536;

/** Makes the client of one vendor; it connects with the first call. A longer answer than `mostBytes` is lost. */
export async function openClient(settings: ClientSettings, mostBytes = usualAnswerBytes): Promise<Client> {
  const { base_url: origin, max_connections, connect_timeout_ms, response_timeout_ms: silence_ms } = settings;
  // The operator names the vendor: its address may be a private one.
  const allow = { exempt: () => true };
  const outbound = await openOutbound({ max_connections, connect_timeout_ms, silence_ms, allow });
  const open = async (call: Call, signal: AbortSignal): Promise<OpenAnswer> =>
    request(outbound, { ...call, origin }, signal);
  return {
    open,
    async call(call, signal) {
      const answer = await open(call, signal);
      return { ...answer, body: await readJson(answer.body, mostBytes) };
    },
    close: () => outbound.close(),
  };
}

async function request(
  outbound: Outbound,
  call: Call & { readonly origin: string },
  signal: AbortSignal,
): Promise<OpenAnswer> {
  const tried = hostAndPort(call.origin);
  // A request without a body asks for nothing that could be done twice.
  const explain = (error: unknown, begun: boolean): ProviderError =>
    transportFailure(error, { written: begun && call.body !== undefined, aborted: signal.aborted, tried });
  if (signal.aborted) throw explain(new Error('aborted'), false);
  const receiver = new Receiver(signal, explain);
  outbound.dispatch({ ...call, body: call.body ?? null }, receiver);
  const { headers, status } = await receiver.head;
  return { status, headers, body: receiver };
}

/**
 * Reads a JSON body; undefined when it was lost, is longer than `mostBytes` or no JSON. A failure to read it does not
 * fail the call: the status has already arrived and matters most.
 */
export async function readJson(body: AsyncIterable<Buffer>, mostBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > mostBytes) return undefined;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
