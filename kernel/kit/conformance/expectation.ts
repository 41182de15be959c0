import { AssertionError } from 'node:assert/strict';
import type { JsonSchema } from '../../tools/schema.ts';
import type { ConformanceOptions } from './options.ts';

/** Throws when something was found, and names it. */
export function expectNone(found: readonly unknown[], what: string): void {
  if (found.length > 0)
    throw new AssertionError({ message: `${what}: ${JSON.stringify(found)}`, actual: found, expected: [] });
}

/** The schema an Orb's outputs must fit; outputs are objects, whatever the manifest leaves open. */
export function outputsSchema({ outputs_schema }: ConformanceOptions['orb']): JsonSchema {
  const open = outputs_schema === true || Object.keys(outputs_schema).length === 0;
  return open ? { type: 'object' } : (outputs_schema as JsonSchema);
}
