import { AssertionError } from 'node:assert/strict';
import type { JsonSchema } from '../../../kernel/index.ts';
import type { ConformanceOptions } from './options.ts';

/** Throws, and names the findings, when there are any. */
export function expectNone(found: readonly unknown[], what: string): void {
  if (found.length > 0)
    throw new AssertionError({ message: `${what}: ${JSON.stringify(found)}`, actual: found, expected: [] });
}

/** The schema that an Orb's outputs must fit; outputs are objects, even if the manifest allows more. */
export function outputsSchema({ outputs_schema }: ConformanceOptions['orb']): JsonSchema {
  const open = outputs_schema === true || Object.keys(outputs_schema).length === 0;
  return open ? { type: 'object' } : (outputs_schema as JsonSchema);
}
