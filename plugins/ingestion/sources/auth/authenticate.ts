import type { Arrival, Proof, Secret, Signing } from './proof.ts';
import { checkSecret, presentSecret } from './secret.ts';
import type { AuthSettings } from '../settings/schema.ts';

/** Finds the proof of an arrival under the settings of its source; undefined when nothing is proved (401). */
export function authenticate(
  { signature }: Signing,
  arrival: Arrival,
  secrets: readonly Secret[],
  settings: AuthSettings,
  nowMs: number,
): Proof | undefined {
  if (settings.scheme === 'url') return { strength: 'url_token', scheme: 'url' };
  if (settings.scheme !== 'signature') return checkSecret(arrival, secrets, settings);
  return signature?.verify(arrival, secrets, settings, nowMs);
}

/** Makes the headers that authenticate a test delivery; undefined when the secret can only verify. */
export function authorize(
  { signature }: Signing,
  body: Uint8Array,
  secret: string | undefined,
  settings: AuthSettings,
  nowMs: number,
): Record<string, string> | undefined {
  if (settings.scheme === 'url') return {};
  if (secret === undefined) return undefined;
  if (settings.scheme !== 'signature') return presentSecret(secret, settings);
  return signature?.sign(body, secret, settings, nowMs);
}
