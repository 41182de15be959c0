import type { Fault } from '../../tools/schema/fault.ts';

/** What is wrong with a text that holds U+0000. */
export const nulDetail = 'contains the character U+0000, which is not allowed; remove it';

/** Says where a JSON value holds U+0000, in a text or a name; undefined when it does not. */
export function nulIn(value: unknown, pointer = '#'): Fault | undefined {
  if (typeof value === 'string') return value.includes('\0') ? { pointer, detail: nulDetail } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    // The name itself cannot be told: its place is the object that has it.
    const fault = name.includes('\0') ? { pointer, detail: nulDetail } : nulIn(member, `${pointer}/${escaped(name)}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

// RFC 6901.
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
