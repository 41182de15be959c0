/**
 * Finds the word that somebody who wrote another one most likely meant: the nearest by insertions, deletions and
 * substitutions of single characters, whatever its case, at most a third of them. Undefined when none of the first thousand
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
    const edits = editsBetween(plain(written), plain(word));
    if (edits <= bound && edits < (found?.edits ?? Infinity)) found = { word, edits };
  }
  return found?.word;
}

// The cost grows with the number of words and the product of the lengths: a wrong request must stay cheap.
const mostWords = 1000;
const longest = 200;

// Levenshtein's distance, row by row.
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let at = 1; at <= other.length; at++) {
      const kept = (above[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      line.push(Math.min(kept, (above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
