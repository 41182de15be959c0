import { optional, type IdempotencySupport } from '../../../kernel/index.ts';

/** Settings that both ways to reach a server have. */
export const serverSettings = {
  era: optional({
    enum: ['auto', '2026', '2025'],
    title: 'Revisions of the protocol',
    description: 'auto: the newest that the server speaks. 2025: for a server that fails at an unknown first request.',
    default: 'auto',
  }),
  on_drift: optional({
    enum: ['stop', 'allow'],
    title: 'Tool whose definition changed',
    description:
      'stop: its Orb is not served until it is imported again. allow: it is called, and the receipt says `pinned: false`.',
    default: 'stop',
  }),
  tools: optional({
    type: 'array',
    title: 'Tools that are used',
    description: 'All if absent.',
    maxItems: 1000,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 256 },
  }),
  max_result_bytes: optional({
    type: 'integer',
    title: 'Longest result',
    description: 'Of a longer one only size and digest are given; without an effect it is refused.',
    minimum: 1024,
    maximum: 8388608,
    default: 1048576,
  }),
  peer: optional({
    enum: ['any', 'orb'],
    title: 'Kind of the server',
    description:
      'orb: another Agent Orb installation, whose problems say what became of a call, and which does the work of a key once.',
    default: 'any',
  }),
} as const;

/** Another installation does the work of a key once, and repeats its answer for a day. */
export function peerIdempotency({ peer }: Pick<HandleSettings, 'peer'>): IdempotencySupport | undefined {
  return peer === 'orb' ? { kind: 'native', window_s: 86_400, max_len: 255 } : undefined;
}

/** The settings as a handle reads them. */
export interface HandleSettings {
  readonly on_drift: 'stop' | 'allow';
  readonly max_result_bytes: number;
  readonly peer: 'any' | 'orb';
}
