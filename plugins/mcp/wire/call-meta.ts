import { PlatformError } from '../../../kernel/index.ts';
import { codes, isId, isMembers, metaKeys, RpcFault, type Headers, type Message } from './wire.ts';
import { idempotencyKey } from '../../runtime/contract.ts';

/** Options of a call, in addition to its arguments. */
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
    throw new RpcFault(200, codes.params, error.message, { id });
  }
}

// Names that other clients give the key.
const keyNames: ReadonlySet<string> = new Set(['idempotency-key', 'idempotency_key']);

// The name of our own decides where several are given.
function readKey(name: string, value: unknown, found: Record<string, unknown>, { id }: Message): void {
  if (typeof value !== 'string') throw new RpcFault(200, codes.params, `_meta["${name}"] must be a string`, { id });
  found['key'] ??= value;
}

interface Option {
  readonly member: keyof CallOptions;
  readonly fits: (value: unknown) => boolean;
  readonly must: string;
}

const deliveries: readonly unknown[] = ['at_most_once', 'at_least_once'];
const isTimeout = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 600_000;
const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';

// The options of our own, by their names after the prefix.
const own = new Map<string, Option>([
  ['idempotency-key', { member: 'key', fits: isText, must: 'must be a string' }],
  ['timeout-ms', { member: 'timeout_ms', fits: isTimeout, must: 'must be a whole number from 1 to 600000' }],
  [
    'delivery',
    {
      member: 'delivery',
      fits: (value) => deliveries.includes(value),
      must: 'must be "at_most_once" or "at_least_once"',
    },
  ],
  ['disclose', { member: 'disclose', fits: isFlag, must: 'must be true or false' }],
]);

function readOwn(name: string, value: unknown, found: Record<string, unknown>, { id }: Message): void {
  const option = own.get(name.slice(prefix.length));
  const must = option?.must ?? `is not known; known are ${[...own.keys()].join(', ')}`;
  if (option?.fits(value) !== true)
    throw new RpcFault(200, codes.params, `_meta[${JSON.stringify(name.slice(0, 64))}] ${must}`, { id });
  found[option.member] = value;
}

function token(value: unknown, { id }: Message): string | number {
  if (isId(value)) return value;
  throw new RpcFault(200, codes.params, '_meta.progressToken must be a string, or a number up to 2^53 - 1', { id });
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
