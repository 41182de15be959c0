import type { Arrival, Proof, Secret, Vendor } from '../vendors/vendor.ts';
import { checkSecret, presentSecret } from './secret.ts';
import type { AuthSettings } from '../sources/schema.ts';

/** Finds the proof of an arrival under the settings of its source; undefined when nothing is proved (401). */
export function authenticate(
  vendor: Vendor,
  arrival: Arrival,
  secrets: readonly Secret[],
  settings: AuthSettings,
  nowMs: number,
): Proof | undefined {
  if (settings.scheme === 'url') return { strength: 'url_token', scheme: 'url' };
  if (settings.scheme !== 'signature') return checkSecret(arrival, secrets, settings);
  return vendor.signature?.verify(arrival, secrets, settings, nowMs);
}

/** Makes the headers that authenticate a test delivery; undefined when the secret can only verify. */
export function authorize(
  vendor: Vendor,
  body: Uint8Array,
  secret: string | undefined,
  settings: AuthSettings,
  nowMs: number,
): Record<string, string> | undefined {
  if (settings.scheme === 'url') return {};
  if (secret === undefined) return undefined;
  if (settings.scheme !== 'signature') return presentSecret(secret, settings);
  return vendor.signature?.sign(body, secret, settings, nowMs);
}
