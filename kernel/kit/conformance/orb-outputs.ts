import type { JsonSchema } from '../../tools/schema.ts';
import type { ConformanceOptions } from './options.ts';

/** The schema an Orb's outputs must fit; outputs are objects, whatever the manifest leaves open. */
export function outputsSchema({ outputs_schema }: ConformanceOptions['orb']): JsonSchema {
  const open = outputs_schema === true || Object.keys(outputs_schema).length === 0;
  return open ? { type: 'object' } : (outputs_schema as JsonSchema);
}
