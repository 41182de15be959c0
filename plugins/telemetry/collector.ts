import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { discard, openOutbound, retryAfterOf, type Outbound, type OutboundAnswer } from '../../kernel/outbound.ts';
import type { Target } from './settings.ts';

const compress = promisify(gzip);
const firstBackoffMs = 1000;
const longestBackoffMs = 5000;
// A collector that asks for more gets nothing meanwhile, but is not believed for longer.
const longestPauseMs = 60_000;
const mostAnswerBytes = 65_536;
const cut = 'the server stopped before it answered';
// opentelemetry.io/docs/specs/otlp/#retryable-response-codes
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** An export that the collector did not take; the message has no address and no header. */
export class ExportFailure extends Error {}

type Once =
  | { readonly body: Uint8Array }
  | { readonly failed: string; readonly again: boolean; readonly after?: number };

/** The collector that takes one kind of data. */
export class Collector {
  readonly #target: Target;
  readonly #outbound: Outbound;
  readonly #random: () => number;
  readonly #closing = new AbortController();
  // On the monotonic clock.
  #notBefore = 0;

  constructor(target: Target, outbound: Outbound, random: () => number = Math.random) {
    this.#target = target;
    this.#outbound = outbound;
    this.#random = random;
  }

  /** Sends one export, again where the protocol allows it, until its time is over; returns the collector's answer. */
  async send(bytes: Uint8Array): Promise<Uint8Array> {
    const body = this.#target.gzip ? await compress(bytes) : bytes;
    const until = performance.now() + this.#target.timeoutMs;
    let failed = 'it asked for a pause';
    for (let turn = 0; ; turn += 1) {
      const waitMs = Math.max(this.#notBefore - performance.now(), turn === 0 ? 0 : this.#backoff(turn));
      if (performance.now() + waitMs >= until) throw new ExportFailure(failed);
      await pause(waitMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      // What failed before a stop is the collector's fault, and the stop is not.
      if (this.#closing.signal.aborted) throw new ExportFailure(turn === 0 ? cut : failed);
      const found = await this.#once(body, until - performance.now());
      if ('body' in found) return found.body;
      ({ failed } = found);
      if (found.after !== undefined) this.#notBefore = performance.now() + Math.min(found.after * 1000, longestPauseMs);
      if (!found.again) throw new ExportFailure(failed);
    }
  }

  /** Ends what is under way: it fails. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#outbound.close();
  }

  #backoff(turn: number): number {
    return Math.min(firstBackoffMs * 1.5 ** (turn - 1), longestBackoffMs) * (0.8 + 0.4 * this.#random());
  }

  async #once(body: Uint8Array, leftMs: number): Promise<Once> {
    const { origin, path, headers, json } = this.#target;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)))]);
    try {
      const answer = await this.#outbound.request({
        ...{ origin, path, method: 'POST', body, signal },
        headers: {
          'user-agent': 'agent-orb',
          ...headers,
          'content-type': json ? 'application/json' : 'application/x-protobuf',
          ...(this.#target.gzip ? { 'content-encoding': 'gzip' } : {}),
          'content-length': String(body.byteLength),
        },
      });
      const { statusCode: status } = answer;
      if (status >= 200 && status < 300) return { body: await readStart(answer) };
      await discard(answer, mostAnswerBytes).catch(() => undefined);
      const after = retryAfterOf(answer.headers, Date.now());
      return {
        failed: `it answered ${status}`,
        again: retryable.has(status),
        ...(after === undefined ? {} : { after }),
      };
    } catch (error) {
      // By then connections are closed, too: the error of a request may be of either.
      if (this.#closing.signal.aborted) return { failed: cut, again: false };
      return { failed: codeOf(error), again: true };
    }
  }
}

/** Opens the collector of one kind of data: the operator names it, so its address may be a private one. */
export async function openCollector(target: Target): Promise<Collector> {
  const { timeoutMs } = target;
  const allow = { exempt: () => true };
  const outbound = await openOutbound({
    ...{ allow, max_connections: 2 },
    connect_timeout_ms: Math.min(timeoutMs, 10_000),
    silence_ms: timeoutMs,
  });
  return new Collector(target, outbound);
}

// It has taken the data: what is wrong with the rest of its answer does not matter.
async function readStart({ body }: Pick<OutboundAnswer, 'body'>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > mostAnswerBytes) return Buffer.alloc(0);
      chunks.push(chunk);
    }
  } catch {
    return Buffer.alloc(0);
  }
  return Buffer.concat(chunks);
}

function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'it did not answer in time';
  return typeof code === 'string' ? `no connection (${code})` : 'no connection';
}
