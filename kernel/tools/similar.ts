/**
 * Finds the word that somebody who wrote another one most likely meant: the nearest by insertions, deletions,
 * substitutions and swaps of neighbours, whatever its case: at most one for each three characters. Undefined when none of the first thousand
 * is near.
 */
export function similarTo(written: string, words: Iterable<string>): string | undefined {
  const plain = (word: string): string => word.toLowerCase().replaceAll('-', '_');
  const bound = Math.floor(Math.max(written.length, 3) / 3);
  let found: { readonly word: string; readonly edits: number } | undefined;
  let looked = 0;
  for (const word of words) {
    if ((looked += 1) > mostWords) break;
    if (Math.abs(word.length - written.length) > bound || word.length > longest) continue;
    const edits = editsBetween(plain(written), plain(word), bound);
    if (edits <= bound && edits < (found?.edits ?? Infinity)) found = { word, edits };
  }
  return found?.word;
}

/**
 * Finds the member or parameter that somebody who wrote another name most likely meant: a similar word, a longer name
 * that begins or ends with it, or one that other programs call so. Undefined when none or several fit.
 */
export function meantName(written: string, names: Iterable<string>): string | undefined {
  const known = [...names].slice(0, mostWords);
  const plain = written.slice(0, longest).toLowerCase();
  const near = similarTo(written, known);
  if (near !== undefined) return near;
  const longer = known.filter((name) => name.startsWith(`${plain}_`) || name.endsWith(`_${plain}`));
  if (longer.length === 1) return longer[0];
  const same = synonyms.filter((words) => words.includes(plain)).flat();
  return same.find((word) => known.includes(word));
}

// Names of one thing in other APIs.
const synonyms: readonly (readonly string[])[] = [
  ['from', 'since', 'start', 'after', 'begin', 'starts_at', 'start_time', 'started_after', 'created_after'],
  ['to', 'until', 'end', 'before', 'ends_at', 'end_time', 'started_before', 'created_before'],
  ['status', 'state'],
  ['limit', 'size', 'count', 'per_page', 'page_size', 'max_results'],
  ['cursor', 'page', 'page_token', 'offset', 'next_cursor', 'starting_after'],
  ['timezone', 'tz', 'zone'],
  ['cron', 'schedule', 'interval', 'every'],
  ['inputs', 'input', 'args', 'arguments', 'params', 'parameters', 'payload', 'data'],
  ['orb_id', 'orb', 'tool'],
  ['expires_at', 'expires', 'expiry', 'expires_in', 'ttl'],
];

// The cost grows with the number of words and the product of the lengths: a wrong request must stay cheap.
const mostWords = 1000;
const longest = 200;

// The distance of optimal string alignment, row by row: two neighbours that changed places are one edit. Infinity when it
// is more than `bound`: two rows beyond it never come back.
function editsBetween(one: string, other: string, bound: number): number {
  let [before, above]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, at) => at),
  ];
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let at = 1; at <= other.length; at++) {
      const kept = (above[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      const turned = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      const swapped = turned ? (before[at - 2] ?? 0) + 1 : Infinity;
      line.push(Math.min(kept, swapped, (above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1));
    }
    [before, above] = [above, line];
    if (Math.min(...before) > bound && Math.min(...above) > bound) return Infinity;
  }
  return above.at(-1) ?? 0;
}
