/** A name with its text. */
export type Pair = readonly [name: string, value: string];

/** Writes names with texts as the value of the field. */
export const textOfPairs = (pairs: readonly (readonly [string, unknown])[]): string =>
  pairs.length === 0
    ? ''
    : JSON.stringify(pairs.map(([name, text]) => [name, typeof text === 'string' ? text : JSON.stringify(text)]));

/** Reads the rows of the field. */
export const readPairs = (text: string): readonly Pair[] => (text === '' ? [] : (JSON.parse(text) as readonly Pair[]));

/** Reads the value of the field; rows left empty are left out. */
export function pairsOf(text: string): { readonly value: unknown } | { readonly fault: string } {
  const pairs = readPairs(text).filter(([name, value]) => name.trim() !== '' || value !== '');
  if (pairs.some(([name, value]) => name.trim() === '' || value === ''))
    return { fault: 'Each row needs a name and a value' };
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return { fault: 'Each name can be given once' };
  return { value: pairs.length === 0 ? undefined : Object.fromEntries(pairs) };
}
