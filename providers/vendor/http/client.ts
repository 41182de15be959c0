import type { Exactly, Infer, ProviderError } from '../../../kernel/adapter.ts';
import { openOutbound, type AllowList, type Outbound } from '../../../kernel/outbound.ts';
import { hostAndPort } from '../connection/remedy.ts';
import { transportFailure } from './failure.ts';
import { Receiver } from './receiver.ts';
import type { transportSettings } from './settings.ts';

type HostSettings = Infer<Exactly<typeof transportSettings>>;

/** Settings for reaching a vendor; `base_url`: scheme, host and port. */
type ClientSettings = HostSettings & { readonly base_url: string };

/** One request; header names in lower case. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
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

/** A pool of kept connections, to one vendor or to hosts that calls of the type `C` name. */
export interface Client<C extends Call = Call> {
  /** Makes one request, once, and follows no redirect. Throws ProviderError `not_sent`, `rejected` or `unknown`. */
  call(call: C, signal: AbortSignal): Promise<Answer>;
  /** Makes one request, once, and leaves the body of its answer to the caller. Throws as `call` does. */
  open(call: C, signal: AbortSignal): Promise<OpenAnswer>;
  /** Aborts all connections; resolves when they are closed. */
  close(): Promise<void>;
}

/** A request to a host that it names: scheme, host and port. */
export interface HostCall extends Call {
  readonly origin: string;
}

/** Which hosts may have private addresses, and what a remedy calls the address of a host. */
interface HostOptions {
  readonly allow: Pick<AllowList, 'exempt'>;
  readonly named?: string;
  readonly mostBytes?: number;
}

const usualAnswerBytes = 65536;

/** Makes the client of one vendor; it connects with the first call. A longer answer than `mostBytes` is lost. */
export async function openClient(settings: ClientSettings, mostBytes = usualAnswerBytes): Promise<Client> {
  const { base_url: origin, ...others } = settings;
  // The operator names the vendor: its address may be a private one.
  const hosts = await openHosts(others, { allow: { exempt: () => true }, mostBytes });
  return {
    open: async (call, signal) => hosts.open({ ...call, origin }, signal),
    call: async (call, signal) => hosts.call({ ...call, origin }, signal),
    close: () => hosts.close(),
  };
}

/** Makes a client of hosts that calls name; who makes the calls has checked that the host is one of those allowed. */
export async function openHosts(settings: HostSettings, options: HostOptions): Promise<Client<HostCall>> {
  const { max_connections, connect_timeout_ms, response_timeout_ms: silence_ms } = settings;
  const { allow, mostBytes = usualAnswerBytes, named } = options;
  const outbound = await openOutbound({ max_connections, connect_timeout_ms, silence_ms, allow });
  const open = async (call: HostCall, signal: AbortSignal): Promise<OpenAnswer> =>
    request(outbound, call, { signal, named });
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
  call: HostCall,
  { named, signal }: { readonly signal: AbortSignal; readonly named: string | undefined },
): Promise<OpenAnswer> {
  const tried = hostAndPort(call.origin);
  // A request without a body asks for nothing that could be done twice.
  const explain = (error: unknown, begun: boolean): ProviderError =>
    transportFailure(error, { written: begun && call.body !== undefined, aborted: signal.aborted, tried, named });
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
  const text = await readText(body, mostBytes);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Reads a body as text; undefined when it was lost or is longer than `mostBytes`, as `readJson` does. */
export async function readText(body: AsyncIterable<Buffer>, mostBytes = usualAnswerBytes): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > mostBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return undefined;
  }
}
