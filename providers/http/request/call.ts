import { ProviderError } from '../../../kernel/adapter.ts';
import { safeMethods, unsafeMethods, type Method } from './inputs.ts';

/** A request from the caller: method and body are checked, URL and headers are not yet. */
export interface WantedCall {
  readonly url: string;
  readonly method: Method;
  /** The method does not change the target's state. */
  readonly safe: boolean;
  readonly headers: unknown;
  readonly body: Buffer | undefined;
  /** Type of the body, unless the caller's headers name one. */
  readonly content_type: string | undefined;
}

type Inputs = Readonly<Record<string, unknown>>;

const fields: readonly string[] = ['url', 'method', 'headers', 'body', 'encoding', 'json'];

/** Reads the inputs of either Orb. Throws ProviderError `rejected`, which names the field but never its value. */
export function readCall(inputs: Inputs): WantedCall {
  // Silently dropping a field would mislead the caller about the sent request.
  const unknown = Object.keys(inputs).find((name) => !fields.includes(name));
  if (unknown !== undefined) throw refused('inputs', 'contain a member that this capability does not know');
  const { url, method = 'GET', headers } = inputs;
  if (typeof url !== 'string') throw refused('url', 'must be a string');
  const safe = safeMethods.find((one) => one === method);
  const wanted = safe ?? unsafeMethods.find((one) => one === method);
  if (wanted === undefined) throw refused('method', `must be one of ${[...safeMethods, ...unsafeMethods].join(', ')}`);
  const content = readBody(inputs);
  if (safe !== undefined && content.body !== undefined) throw refused('body', `cannot be used with ${safe}`);
  return { url, method: wanted, safe: safe !== undefined, headers, ...content };
}

function readBody(inputs: Inputs): Pick<WantedCall, 'body' | 'content_type'> {
  const { body, encoding = 'utf8', json } = inputs;
  if (encoding !== 'utf8' && encoding !== 'base64') throw refused('encoding', 'must be utf8 or base64');
  if (json !== undefined) {
    if (body !== undefined) throw refused('json', 'cannot be used together with `body`');
    return { body: Buffer.from(JSON.stringify(json)), content_type: 'application/json' };
  }
  if (body === undefined) return { body: undefined, content_type: undefined };
  if (typeof body !== 'string' || !body.isWellFormed()) throw refused('body', 'must be well-formed text');
  if (encoding === 'utf8') return { body: Buffer.from(body), content_type: 'text/plain; charset=utf-8' };
  const bytes = Buffer.from(body, 'base64');
  // Accepts only the canonical form: decoders differ on all other forms.
  if (bytes.toString('base64') !== body) throw refused('body', 'is not canonical base64 (RFC 4648 §4, with padding)');
  return { body: bytes, content_type: 'application/octet-stream' };
}

function refused(field: string, reason: string): ProviderError {
  return new ProviderError('rejected', `${field} ${reason}`, { phase: 'inputs' });
}
