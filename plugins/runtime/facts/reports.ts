import { defineService, exactly, optional, type Answered, type Awaitable } from '../../../kernel/index.ts';

/**
 * What a vendor reports of a message that it took, the lowest first: a state never goes back to an earlier one. The four
 * from `delivered` on end a message, apart from its reading.
 */
export const deliveryStates = [
  ...['accepted', 'queued', 'sent'],
  ...['delivered', 'undelivered', 'expired', 'rejected_later'],
  'read',
] as const;

/** One of `deliveryStates`. */
export type DeliveryState = (typeof deliveryStates)[number];

/** Schema of what the vendor reported of a run. */
export const runDelivery = exactly('RunDelivery', {
  state: { enum: deliveryStates, description: 'The last state; it never goes back' },
  at: { type: 'string', format: 'date-time', description: 'When the vendor says it happened' },
  conflict: optional({ type: 'boolean', description: 'Reports contradict each other; the earlier end counts' }),
  evidence: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of the deliveries that say it, oldest first',
  },
});

/** What the vendor reported of a run. */
export type RunDelivery = Answered<typeof runDelivery>;

/** One call of a run at a provider, by the key that the provider was handed. */
export type ReportedCall = Readonly<Record<'provider' | 'key', string>>;

/** The reports of some calls, folded. */
export interface Reported {
  readonly delivery: RunDelivery;
  /** The delivery that proves that the vendor took the message; absent: none is authenticated well enough. */
  readonly proof?: { readonly delivery_id: string; readonly digest: string };
}

/** The port `delivery_reports`: the plugin that takes the webhooks of vendors keeps their reports. */
export interface DeliveryReports {
  /** Finds the address for reports of a provider, to which `?key=` is added; undefined: it has no source of them. From memory. */
  addressOf(provider: string): string | undefined;
  /** Folds what was reported of the calls of a run; undefined: nothing was. */
  of(calls: readonly ReportedCall[]): Awaitable<Reported | undefined>;
}

/** The token of the port. */
export const deliveryReports = defineService<DeliveryReports>('delivery_reports');

/**
 * Settles an indeterminate run as completed when a report proves that the vendor took it, once, on whatever node; any
 * other run stays as it is. Resolves to whether it did.
 */
export type SettleReported = (run: ReportedCall | { readonly run_id: string }) => Promise<boolean>;
