import { isRecord } from '../../parts/form/schema.ts';

// Longer addresses are cut by some programs that pass links on.
const longest = 8000;

/**
 * Writes inputs as the end of an address. A browser sends nothing after `#` to a server, so that they stand in no log.
 * Undefined: they are too long.
 */
export function endOf(inputs: object): string | undefined {
  const end = `#inputs=${encodeURIComponent(JSON.stringify(inputs))}`;
  return end.length > longest ? undefined : end;
}

/** Reads the inputs that the end of an address holds; undefined: it holds none. */
export function inputsIn(end: string): Readonly<Record<string, unknown>> | undefined {
  const text = /^#inputs=(.+)$/.exec(end)?.[1];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(decodeURIComponent(text));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
