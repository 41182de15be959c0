import { createHash } from 'node:crypto';
import type { Arrival, Vendor } from '../vendors/vendor.ts';
import type { VendorSettings } from '../sources/schema.ts';

/** Largest inflated body that is parsed on the way to the acknowledgement. */
export const parsedBytes = 256 * 1024;

const longestKey = 200;

/** Hashes bytes as `sha256:<hex>`. */
export function digestOf(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/**
 * Finds what makes a delivery the same: the vendor's id, else the body itself. `stable`: the vendor names it; else an equal
 * body is both a duplicate and a refresh.
 */
export function keyOf(
  vendor: Vendor,
  arrival: Arrival,
  payload: () => unknown,
  settings: VendorSettings,
  bodyDigest: string,
) {
  const own = vendor.deliveryKey(arrival, payload, settings);
  if (own === undefined) return { key: bodyDigest, stable: false };
  return { key: `id:${own.length > longestKey ? digestOf(own) : own}`, stable: true };
}
