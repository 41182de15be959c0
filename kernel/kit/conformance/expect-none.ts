import { AssertionError } from 'node:assert/strict';

/** Throws when something was found, and names it. */
export function expectNone(found: readonly unknown[], what: string): void {
  if (found.length > 0)
    throw new AssertionError({ message: `${what}: ${JSON.stringify(found)}`, actual: found, expected: [] });
}
