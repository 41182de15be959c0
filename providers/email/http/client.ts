import { Readable } from 'node:stream';
import { unlessAborted, type Exactly, type Infer } from '../../../kernel/adapter.ts';
import { hostAndPort, openOutbound, type Outbound, type OutboundAnswer } from '../../../kernel/outbound.ts';
import { transportFailure } from './failure.ts';
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

/** A pool of kept connections to one vendor. */
export interface Client {
  /** Makes one request, once, and follows no redirect. Throws ProviderError `not_sent` or `unknown`. */
  call(call: Call, signal: AbortSignal): Promise<Answer>;
  /** Aborts all connections; resolves when they are closed. */
  close(): Promise<void>;
}

const maxAnswerBytes = 65536;

/** Makes the client of one vendor; it connects with the first call. */
export async function openClient(settings: ClientSettings): Promise<Client> {
  const { base_url: origin, max_connections, connect_timeout_ms, response_timeout_ms: silence_ms } = settings;
  // The operator names the vendor: its address may be a private one.
  const allow = { exempt: () => true };
  const outbound = await openOutbound({ max_connections, connect_timeout_ms, silence_ms, allow });
  return {
    call: async (call, signal) => request(outbound, { ...call, origin }, signal),
    close: () => outbound.close(),
  };
}

async function request(
  outbound: Outbound,
  call: Call & { readonly origin: string },
  signal: AbortSignal,
): Promise<Answer> {
  const moment = { written: false };
  try {
    signal.throwIfAborted();
    const options = { ...call, signal, body: call.body === undefined ? null : outgoing(call.body, moment, signal) };
    // The library itself checks the signal only once it is connected.
    const response = await unlessAborted(signal, outbound.request(options), () => new Error('aborted'));
    return {
      status: response.statusCode,
      headers: singleHeaders(response.headers),
      body: await readJson(response.body),
    };
  } catch (error) {
    throw transportFailure(error, { ...moment, aborted: signal.aborted, tried: hostAndPort(call.origin) });
  }
}

/** Makes the body a stream, which the library reads when connected, right before it writes the first byte. */
function outgoing(body: Buffer, moment: { written: boolean }, signal: AbortSignal): Readable {
  return new Readable({
    read() {
      // A request reported as not_sent must never leave, even if the library ignores the signal.
      if (signal.aborted) return void this.destroy(new Error('aborted'));
      moment.written = true;
      this.push(body);
      this.push(null);
    },
  });
}

function singleHeaders(headers: OutboundAnswer['headers']): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

// A failure to read the body does not fail the call: the status has already arrived and matters most.
async function readJson(body: AsyncIterable<Buffer>): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxAnswerBytes) return undefined;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
