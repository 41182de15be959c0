/**
 * Finds the word that was most likely meant: the nearest, with at most one edit for each three characters, and eight in
 * all. Undefined when none of the first thousand is near, or when to compare them costs too much.
 */
export function similarTo(written: string, words: Iterable<string>): string | undefined {
  if (written.length > longest + mostEdits) return undefined;
  const sought = plain(written);
  const work = { left: mostCells };
  let most = Math.min(Math.floor(Math.max(written.length, 3) / 3), mostEdits);
  let found: string | undefined;
  let looked = 0;
  for (const word of words) {
    if ((looked += 1) > mostWords || work.left <= 0 || most < 0) break;
    if (word.length > longest) continue;
    const edits = editsBetween(sought, plain(word), { most, work });
    if (edits > most) continue;
    found = word;
    // Of several that are as near, the first one counts.
    most = edits - 1;
  }
  return found;
}

const plain = (word: string): string => word.toLowerCase().replaceAll('-', '_');

/** Finds the name that was most likely meant: a similar or longer one, or a synonym. Undefined: none fits. */
export function meantName(written: string, names: Iterable<string>): string | undefined {
  const known = [...names].slice(0, mostWords);
  const start = written.slice(0, longest).toLowerCase();
  const near = similarTo(written, known);
  if (near !== undefined) return near;
  const longer = known.filter((name) => name.startsWith(`${start}_`) || name.endsWith(`_${start}`));
  if (longer.length === 1) return longer[0];
  const same = synonyms.filter((words) => words.includes(start)).flat();
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

// A wrong request must stay cheap: whoever may send one may send thousands, and all others wait meanwhile.
const mostWords = 1000;
const mostEdits = 8;
const longest = 200;
const mostCells = 100_000;

const beyond = 1000;
// Lower case may be longer than what was written. Nothing is kept from one comparison to the next.
const rows = [0, 1, 2].map(() => new Uint16Array(4 * longest));

interface Limits {
  readonly most: number;
  /** Cells that may still be computed. */
  readonly work: { left: number };
}

// The distance of optimal string alignment, as far as fewer than `most` edits reach; else some number above `most`.
function editsBetween(one: string, other: string, { most, work }: Limits): number {
  const start = commonStart(one, other);
  const end = commonEnd(one, other, start);
  const [height, width] = [one.length - end - start, other.length - end - start];
  if (Math.abs(height - width) > most) return beyond;
  let [before, above, line] = rows as [Uint16Array, Uint16Array, Uint16Array];
  for (let at = 0; at <= width; at += 1) above[at] = at;
  let leastAbove = 0;
  for (let row = 1; row <= height; row += 1) {
    const [first, last] = [Math.max(1, row - most), Math.min(width, row + most)];
    let least = (line[first - 1] = first === 1 ? row : beyond);
    for (let at = first; at <= last; at += 1) {
      const [left, right] = [start + row - 1, start + at - 1];
      let edits = (above[at - 1] ?? 0) + (one[left] === other[right] ? 0 : 1);
      edits = Math.min(edits, (above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1);
      if (row > 1 && at > 1 && one[left] === other[right - 1] && one[left - 1] === other[right])
        edits = Math.min(edits, (before[at - 2] ?? 0) + 1);
      line[at] = edits;
      if (edits < least) least = edits;
    }
    line[last + 1] = beyond;
    work.left -= last - first + 1;
    // Two rows beyond it never come back.
    if (Math.min(least, leastAbove) > most) return beyond;
    leastAbove = least;
    [before, above, line] = [above, line, before];
  }
  return above[width] ?? beyond;
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function commonEnd(one: string, other: string, start: number): number {
  const most = Math.min(one.length, other.length) - start;
  let count = 0;
  while (count < most && one.at(-1 - count) === other.at(-1 - count)) count += 1;
  return count;
}
