import { optional, type Exactly, type IdempotencySupport, type Infer } from '../../../kernel/adapter.ts';

/** Settings that both ways to reach a server have. */
export const serverSettings = {
  era: optional({
    enum: ['auto', '2026', '2025'],
    title: 'Protocol revision',
    description:
      'auto: the newest revision that the server supports. 2025: for a server that fails on an unknown first request.',
    default: 'auto',
  }),
  on_drift: optional({
    enum: ['stop', 'allow'],
    title: 'Tools whose definition changed',
    description:
      'stop: the Orb of the tool is not served until you import it again. allow: the tool is called, and the receipt says `pinned: false`.',
    default: 'stop',
  }),
  tools: optional({
    type: 'array',
    title: 'Tools to use',
    description: 'Default: all tools.',
    maxItems: 1000,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 256 },
  }),
  max_result_bytes: optional({
    type: 'integer',
    title: 'Maximum size of a result',
    description: 'A longer result is replaced by its size and digest, or refused if the tool has no effect.',
    minimum: 1024,
    maximum: 8388608,
    default: 1048576,
  }),
  peer: optional({
    enum: ['any', 'orb'],
    title: 'Kind of the server',
    description:
      'orb: another Agent Orb installation. Its problems report the outcome of a call, and it executes each idempotency key once.',
    default: 'any',
  }),
} as const;

/** Another installation does the work of a key once, and repeats its answer for a day. */
export function peerIdempotency({ peer }: Pick<HandleSettings, 'peer'>): IdempotencySupport | undefined {
  return peer === 'orb' ? { kind: 'native', window_s: 86_400, max_len: 255 } : undefined;
}

/** The settings as a handle reads them. */
export type HandleSettings = Omit<Infer<Exactly<typeof serverSettings>>, 'era' | 'tools'>;
