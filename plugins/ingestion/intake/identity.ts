import type { Awaitable, Clock } from '../../../kernel/index.ts';
import type { DeliveryReads, SameBody } from '../deliveries/reading.ts';
import { keyOfNewEvent } from '../deliveries/delivery.ts';
import type { LiveSource } from '../sources/registry.ts';

/** What identifies a delivery within its source. */
export interface Identity {
  readonly delivery_key: string;
  /** False when an equal body is a repeat that refreshes its alerts. */
  readonly stable: boolean;
}

/** The reads with which the intake tells a repeat from a new event. */
export interface EarlierReads extends Pick<DeliveryReads, 'newestWith'> {
  /** Names what changed an alert of a delivery after it; undefined: nothing did. */
  changeAfter(earlier: SameBody, nowMs: number): Awaitable<string | undefined>;
}

/** What is known of a delivery before its key. */
interface Incoming {
  readonly digest: string;
  readonly payload: () => unknown;
  /** The id that the vendor gave it. */
  readonly id: string | undefined;
}

/**
 * Finds the key that identifies a delivery: the vendor's id where nobody but the vendor can have given it, else the
 * bytes. Equal bytes are a repeat only while nothing later changed the state of their alert: an alert that fires, is
 * resolved and fires again may be sent in the same bytes. Then the key names the change too, so the next repeat finds
 * this delivery.
 */
export async function identityOf(
  { earlier, clock }: { readonly earlier: EarlierReads; readonly clock: Pick<Clock, 'now'> },
  { record, settings, vendor }: LiveSource,
  { digest, payload, id }: Incoming,
): Promise<Identity> {
  const isUnsigned = vendor.unsignedId === true && settings.auth.scheme === 'signature';
  const own = id === undefined ? { delivery_key: digest, stable: false } : { delivery_key: `id:${id}`, stable: true };
  if (id !== undefined && !isUnsigned) return own;
  const found = await earlier.newestWith(record.source_id, digest);
  if (found === undefined) return own;
  const { delivery_key } = found;
  if (vendor.isDated?.(payload()) === true) return { delivery_key, stable: true };
  const change = await earlier.changeAfter(found, clock.now());
  return { delivery_key: change === undefined ? delivery_key : keyOfNewEvent(digest, change), stable: false };
}
