import { PlatformError, type Fault } from '../../error.ts';
import type { Orb } from './orb.ts';

/**
 * Makes the 422 of inputs that do not fit the schema of an Orb. `meanings`: what the capability says of its inputs, by
 * name: the form of a text, which a schema cannot tell.
 */
export function invalidInputs(
  { orb_id }: Pick<Orb, 'orb_id'>,
  faults: readonly Fault[],
  meanings: Readonly<Record<string, string>> = {},
): PlatformError {
  const errors = faults.map(({ pointer, detail }) => {
    const meaning = Object.entries(meanings).find(([name]) => name === nameOf(pointer))?.[1];
    return {
      pointer: `#/inputs${pointer.slice(1)}`,
      detail: meaning === undefined ? detail : `${detail}. ${meaning}`,
    };
  });
  return new PlatformError('invalid_inputs', `the inputs do not fit ${orb_id}; GET /orbs/${orb_id} shows its schema`, {
    errors,
  });
}

// `#/attachments/0/filename` is `attachments.filename`.
function nameOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .filter((part) => !/^\d+$/.test(part))
    .join('.');
}
