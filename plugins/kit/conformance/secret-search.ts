import assert from 'node:assert/strict';
import { inspect } from 'node:util';

const shortest = 6;

/** Says whether a secret is long enough to search for: shorter ones occur in other texts by chance. */
export function isSearchable(secret: string): boolean {
  return secret.length >= shortest;
}

// The forms of a secret that are searched for: unchanged, in base64, and as part of a URL.
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [...new Set([secret, base64, encodeURIComponent(secret)])];
}

/** Throws when a text holds a secret in one of its forms; the message names neither. */
export function expectNoSecret(secrets: readonly string[], texts: readonly string[]): void {
  for (const secret of secrets.filter(isSearchable))
    for (const form of formsOf(secret))
      assert.ok(
        !texts.some((text) => text.includes(form)),
        'a configured secret is written to the log, into an error or into the outputs',
      );
}

/** Replaces secrets in a text that is shown to a person. */
export function withoutSecrets(secrets: readonly string[], text: string): string {
  let clean = text;
  for (const form of secrets.filter(isSearchable).flatMap(formsOf)) clean = clean.replaceAll(form, '[redacted]');
  return clean;
}

/** Lists all texts of an error, its causes included. */
export function textsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [inspect(error)];
  return [error.message, ...(error.cause === undefined ? [] : [inspect(error.cause), ...textsOf(error.cause)])];
}
