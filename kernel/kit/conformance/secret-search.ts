import assert from 'node:assert/strict';
import { inspect } from 'node:util';

const shortest = 6;

/** Says whether it can be told that a secret leaked: shorter ones stand in other texts by chance. */
export function isSearchable(secret: string): boolean {
  return secret.length >= shortest;
}

// The forms in which a secret would be found: as it is, in base64, and as part of a URL.
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

/** Everything an error tells, its causes included. */
export function textsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [inspect(error)];
  return [error.message, ...(error.cause === undefined ? [] : [inspect(error.cause), ...textsOf(error.cause)])];
}
