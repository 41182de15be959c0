import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync, type BrotliOptions } from 'node:zlib';
import type { Answer } from './answer.ts';
import type { Route } from './route.ts';

/** A shorter answer fits one packet of a network as it is. */
const leastBytes = 1400;
/** A longer answer is compressed by the thread pool: a shorter one takes the serving thread half a millisecond at most. */
const mostAtOnce = 32 * 1024;
/** A longer answer is not kept. */
const mostKept = 2 * 1024 * 1024;
/** Characters of all answers that are kept. */
const mostKeptInAll = 16 * 1024 * 1024;

const textTypes = /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/;

type Coding = 'br' | 'gzip';

/**
 * Compresses answers for clients that ask for it. Returns the answer itself, without any other work, when the client
 * does not ask. A route that shows a secret is not compressed: the length of a compressed response reveals something
 * about its content.
 */
export function createCoder(): (route: Route, req: IncomingMessage, answer: Answer) => Answer | Promise<Answer> {
  const texts = { br: new KeptAnswers(), gzip: new KeptAnswers() };
  // Bytes that are sent again, such as a page, are kept by whoever made them.
  const pages = { br: new WeakMap<Uint8Array, Uint8Array>(), gzip: new WeakMap<Uint8Array, Uint8Array>() };
  // Public responses are the same for many callers; private ones must not stay in memory.
  const keptOf = ({ public: open }: Route, coding: Coding, body: string | Uint8Array): Kept | undefined =>
    open !== true || body.length > mostKept ? undefined : typeof body === 'string' ? texts[coding] : pages[coding];
  return (route, req, answer) => {
    const asked = req.headers['accept-encoding'];
    if (asked === undefined && answer.headers?.['Cache-Control'] === undefined) return answer;
    if (answer.status === 304) return sameTag(req, answer);
    if (route.showsSecret === true || !isWorth(answer)) return answer;
    const coding = codingOf(asked);
    if (coding === undefined) return { ...answer, headers: varied(answer) };
    const { body = '' } = answer;
    const kept = keptOf(route, coding, body);
    const known = kept?.get(body);
    if (known !== undefined) return coded(answer, coding, known);
    const keep = (packed: Uint8Array): Answer => {
      kept?.set(body, packed);
      return coded(answer, coding, packed);
    };
    return body.length <= mostAtOnce ? keep(compressNow(coding, body)) : compressLater(coding, body).then(keep);
  };
}

/** Compressed answers by what they were made of. */
interface Kept {
  get(body: string | Uint8Array): Uint8Array | undefined;
  set(body: string | Uint8Array, packed: Uint8Array): unknown;
}

/**
 * Compressed answers by their texts, those asked for last. A text that is kept is the same string each time, so it is
 * found without a look at its characters.
 */
class KeptAnswers {
  readonly #packed = new Map<string, Uint8Array>();
  #size = 0;

  get(body: string): Uint8Array | undefined {
    const packed = this.#packed.get(body);
    if (packed === undefined) return undefined;
    this.#packed.delete(body);
    this.#packed.set(body, packed);
    return packed;
  }

  set(body: string, packed: Uint8Array): void {
    if (!this.#packed.has(body)) this.#size += body.length + packed.length;
    this.#packed.set(body, packed);
    for (const [oldest, bytes] of this.#packed) {
      if (this.#size <= mostKeptInAll) return;
      this.#packed.delete(oldest);
      this.#size -= oldest.length + bytes.length;
    }
  }
}

/** Compresses a short answer at once, such as the page of a problem. */
export function encodeNow(req: IncomingMessage, answer: Answer): Answer {
  const coding = codingOf(req.headers['accept-encoding']);
  if (coding === undefined || !isWorth(answer)) return answer;
  return coded(answer, coding, compressNow(coding, answer.body ?? ''));
}

function isWorth({ type = '', body, headers }: Answer): boolean {
  if (body === undefined || body.length < leastBytes || headers?.['Content-Encoding'] !== undefined) return false;
  return textTypes.test(type);
}

/** Finds the coding that a client prefers; br, when it takes both alike. */
export function codingOf(asked: string | string[] | undefined): Coding | undefined {
  if (asked === undefined || asked === '') return undefined;
  const weights = weightsOf(String(asked));
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [br, gz, plain] = [weightOf('br'), weightOf('gzip'), weights.get('identity') ?? 0];
  if (!(Math.max(br, gz) > 0) || plain > Math.max(br, gz)) return undefined;
  return br >= gz ? 'br' : 'gzip';
}

function brotliOptions(size: number): BrotliOptions {
  const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_SIZE_HINT: hint } = constants;
  return { params: { [quality]: 4, [hint]: size } };
}

const gzipOptions = { level: 5 } as const;

function compressNow(coding: Coding, body: string | Uint8Array): Uint8Array {
  return coding === 'br' ? brotliCompressSync(body, brotliOptions(body.length)) : gzipSync(body, gzipOptions);
}

const [brotliLater, gzipLater] = [promisify(brotliCompress), promisify(gzip)];

function compressLater(coding: Coding, body: string | Uint8Array): Promise<Uint8Array> {
  return coding === 'br' ? brotliLater(body, brotliOptions(body.length)) : gzipLater(body, gzipOptions);
}

function coded(answer: Answer, coding: Coding, body: Answer['body']): Answer {
  const { ETag: tag } = answer.headers ?? {};
  const headers = { ...varied(answer), 'Content-Encoding': coding };
  // Another coding is another representation, whose strong tag must differ (RFC 9110 §8.8.3.3).
  return { ...answer, headers: tag === undefined ? headers : { ...headers, ETag: codedTag(tag, coding) }, body };
}

function codedTag(tag: string, coding: Coding): string {
  return tag.startsWith('W/') ? tag : `${tag.slice(0, -1)}~${coding}"`;
}

/** Returns the headers of an answer that also depends on this header of the request. */
export function varied({ headers }: Answer, name = 'Accept-Encoding'): Readonly<Record<string, string>> {
  const before = headers?.['Vary'];
  return { ...headers, Vary: before === undefined ? name : `${before}, ${name}` };
}

/** Gives an answer 304 the tag of the representation that the client has. */
function sameTag({ rawHeaders }: IncomingMessage, answer: Answer): Answer {
  const { ETag: tag } = answer.headers ?? {};
  if (tag === undefined) return answer;
  const held = (['br', 'gzip'] as const)
    .map((coding) => codedTag(tag, coding))
    .find((one) => rawHeaders.some((header) => header.includes(one)));
  return { ...answer, headers: { ...varied(answer), ETag: held ?? tag } };
}

/** Removes the codings from the tags of If-Match and If-None-Match: a condition names the state itself. */
export function plainTags(headers: IncomingMessage['headers']): void {
  for (const name of ['if-match', 'if-none-match'] as const) {
    const value = headers[name];
    if (value !== undefined) headers[name] = value.replace(/~(?:br|gzip)(?=")/g, '');
  }
}

/**
 * Says whether a request asks for a page rather than for data, as browsers do: `text/html` is in its Accept, and no form
 * of JSON has a greater weight.
 */
export function asksForPage(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('text/html')) return false;
  const weights = weightsOf(accept);
  const page = weights.get('text/html') ?? 0;
  return page > 0 && page >= jsonWeight(weights);
}

/** Says whether a request asks for JSON rather than for a page; a request that accepts anything does not. */
export function asksForJson(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('json')) return false;
  const weights = weightsOf(accept);
  return jsonWeight(weights) > (weights.get('text/html') ?? 0);
}

function jsonWeight(weights: ReadonlyMap<string, number>): number {
  return Math.max(0, ...[...weights].filter(([type]) => /[/+]json$/.test(type)).map(([, weight]) => weight));
}

/** Reads the weights of what a header such as Accept lists, by their names. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const parts = header.toLowerCase().split(',', 40);
  return new Map(
    parts.map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim());
      const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1');
      return [name, Number.isNaN(weight) ? 0 : weight];
    }),
  );
}
