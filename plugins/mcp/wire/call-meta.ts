import { PlatformError } from '../../../kernel/index.ts';
import { codes, isId, isMembers, metaKeys, RpcFault, withId, type Headers, type Message } from './wire.ts';
import { idempotencyKey } from '../../runtime/contract.ts';

/** What a call asks for beside its arguments. */
export interface CallOptions {
  readonly key?: string;
  readonly timeout_ms?: number;
  readonly delivery?: 'at_most_once' | 'at_least_once';
  readonly disclose?: boolean;
  readonly traceparent?: string;
  readonly progressToken?: string | number;
  readonly client?: { readonly name: string; readonly version?: string };
}

const prefix = 'agent-orb/';
const traced = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Reads the options of a call out of its `_meta`, and the header Idempotency-Key. Throws an RpcFault. */
export function callOptions(message: Message, headers: Headers): CallOptions {
  const { id, meta } = message;
  const found: Record<string, unknown> = {};
  for (const name in meta) {
    if (name.startsWith(prefix)) readOwn(name, meta[name], found, message);
    else if (keyNames.has(name)) readKey(name, meta[name], found, message);
    else if (name === 'progressToken') found['progressToken'] = token(meta[name], message);
    else if (name === 'traceparent' && typeof meta[name] === 'string' && traced.test(meta[name]))
      found['traceparent'] = meta[name];
    else if (name === metaKeys.client) Object.assign(found, clientOf(meta[name]));
  }
  const key = found['key'] ?? headers['idempotency-key'];
  if (key === undefined) return found;
  try {
    return { ...found, key: idempotencyKey(key as string) ?? '' };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new RpcFault(200, codes.params, error.message, withId(id));
  }
}

// Names that other clients give the key.
const keyNames: ReadonlySet<string> = new Set(['idempotency-key', 'idempotency_key']);

// The name of our own decides where several are given.
function readKey(name: string, value: unknown, found: Record<string, unknown>, { id }: Message): void {
  if (typeof value !== 'string') throw new RpcFault(200, codes.params, `_meta["${name}"] must be a string`, withId(id));
  found['key'] ??= value;
}

function readOwn(name: string, value: unknown, found: Record<string, unknown>, { id }: Message): void {
  const wrong = (what: string): RpcFault => new RpcFault(200, codes.params, `_meta["${name}"] ${what}`, withId(id));
  switch (name.slice(prefix.length)) {
    case 'idempotency-key':
      if (typeof value !== 'string') throw wrong('must be a string');
      found['key'] = value;
      return;
    case 'timeout-ms':
      if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > 600_000)
        throw wrong('must be a whole number from 1 to 600000');
      found['timeout_ms'] = value;
      return;
    case 'delivery':
      if (value !== 'at_most_once' && value !== 'at_least_once')
        throw wrong('must be "at_most_once" or "at_least_once"');
      found['delivery'] = value;
      return;
    case 'disclose':
      if (typeof value !== 'boolean') throw wrong('must be true or false');
      found['disclose'] = value;
      return;
    default:
      throw new RpcFault(
        200,
        codes.params,
        `_meta[${JSON.stringify(name.slice(0, 64))}] is not known; known are idempotency-key, timeout-ms, delivery, disclose`,
        withId(id),
      );
  }
}

function token(value: unknown, { id }: Message): string | number {
  if (isId(value)) return value;
  throw new RpcFault(200, codes.params, '_meta.progressToken must be a string, or a number up to 2^53 - 1', withId(id));
}

// What a client says of itself may be anything.
function clientOf(value: unknown): Pick<CallOptions, 'client'> {
  if (!isMembers(value) || typeof value['name'] !== 'string') return {};
  const { name, version } = value;
  return { client: { name: cut(name), ...(typeof version === 'string' ? { version: cut(version) } : {}) } };
}

function cut(text: string): string {
  return text.slice(0, 64).toWellFormed();
}
