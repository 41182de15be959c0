import { exactly, optional, type Infer } from '../../kernel/index.ts';
import type { Target } from '../../kernel/outbound.ts';

/** Types of events that can be subscribed to. */
export const eventTypes = ['run.completed', 'run.failed', 'run.denied', 'run.indeterminate'] as const;

/** Type of an event. */
export type EventType = (typeof eventTypes)[number];

const types = {
  type: 'array',
  minItems: 1,
  maxItems: 8,
  uniqueItems: true,
  items: { enum: [...eventTypes, 'run.*'] },
  description: 'Events to send; run.failed also covers runs that timed out or were cancelled',
} as const;
const include = {
  type: 'array',
  maxItems: 1,
  items: { const: 'outputs' },
  description: 'Additional parts of the body; only if the Orbiset keeps outputs',
} as const;
const format = { enum: ['standard', 'cloudevents'], default: 'standard', description: 'Format of the body' } as const;
const filter = {
  description: 'Only runs of this Orb',
  ...exactly({ orb_id: { type: 'string', maxLength: 300, description: 'Id of the Orb, with its version' } }),
} as const;

/** Schema of a wish for a subscription. */
export const newSubscription = exactly('SubscriptionRequest', {
  url: { type: 'string', maxLength: 2048, description: 'URL to which callbacks are sent: https, a public address' },
  types,
  include: optional(include),
  format: optional(format),
  filter: optional(filter),
});

/** Schema of a subscription as answers show it. */
export const subscriptionSchema = exactly('Subscription', {
  subscription_id: { type: 'string', description: 'Id of the subscription' },
  orbiset_id: { type: 'string', description: 'Id of the Orbiset whose runs it reports' },
  url: { type: 'string', description: 'URL to which callbacks are sent' },
  types,
  include: optional(include),
  format,
  filter: optional(filter),
  state: {
    enum: ['active', 'paused', 'off'],
    description: '`off`: the server switched it off, because the receiver fails',
  },
  reason: optional({ type: 'string', description: 'Why it was switched off' }),
  failing_since: optional({ type: 'string', description: 'Time since which no callback was accepted, RFC 3339 UTC' }),
  created_at: { type: 'string', description: 'When it was created, RFC 3339 UTC' },
  created_by: { type: 'string', description: 'Id of the principal that created it' },
});

/** Schema of a callback as answers show it. */
export const callbackSchema = exactly('Callback', {
  callback_id: { type: 'string', description: 'Id of the callback: the `webhook-id` of all its attempts' },
  run_id: { type: 'string', description: 'Id of the run' },
  type: { type: 'string', description: 'Type of the event' },
  state: {
    enum: ['waiting', 'delivered', 'dead'],
    description: '`dead`: the server does not send it again automatically',
  },
  tries: { type: 'integer', description: 'Number of attempts so far' },
  made_at: { type: 'string', description: 'When it was created, RFC 3339 UTC' },
  last_at: optional({ type: 'string', description: 'Time of the last attempt, RFC 3339 UTC' }),
  next_at: optional({ type: 'string', description: 'Time of the next attempt, RFC 3339 UTC' }),
  status: optional({ type: 'integer', description: 'HTTP status of the last response' }),
  failure: optional({ type: 'string', description: 'Why the last attempt failed' }),
});

/** A callback as answers show it. */
export type ShownCallback = Infer<typeof callbackSchema>;

/** A subscription as answers show it. */
export type ShownSubscription = Infer<typeof subscriptionSchema>;

/** The choices of a subscription, as its row stores them. */
export type Wish = Pick<ShownSubscription, 'types' | 'include' | 'format' | 'filter'>;

/** The sealed part of a subscription: its URL and its secrets. */
export interface Sealed {
  readonly url: string;
  readonly secret: string;
  /** Previous secrets, newest first; each also signs until its end, ms since 1970. */
  readonly replaced?: readonly { readonly secret: string; readonly until: number }[];
}

/** State of a subscription; times in ms since 1970. */
export interface Standing {
  readonly state: ShownSubscription['state'];
  readonly reason?: string;
  readonly failing_since?: number;
}

/** A subscription in memory. */
export interface Subscription extends Standing, Sealed {
  /** `Sealed` as the store has it. */
  readonly sealed: Uint8Array;
  readonly subscription_id: string;
  readonly tenant: string;
  readonly orbiset_id: string;
  readonly wish: Wish;
  readonly created_at: string;
  readonly created_by: string;
  readonly host: Target['host'];
}

/** Says whether a subscription wants an event of an Orb. */
export function wants({ wish }: Pick<Subscription, 'wish'>, type: EventType, orbId: string): boolean {
  const { types: wanted, filter: only } = wish;
  return (wanted.includes('run.*') || wanted.includes(type)) && (only === undefined || only.orb_id === orbId);
}

/** Finds the type of the event of a finished run. */
export function typeOf(status: string): EventType {
  if (status === 'completed' || status === 'denied' || status === 'indeterminate') return `run.${status}`;
  return 'run.failed';
}
