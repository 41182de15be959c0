import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const blind = randomBytes(32);

/** Compares two texts or byte strings of any length in constant time. */
export function equal(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(
    createHmac('sha256', blind).update(a).digest(),
    createHmac('sha256', blind).update(b).digest(),
  );
}
