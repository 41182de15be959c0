// A larger comparison would stop the page; then all lines in between count as changed.
const mostCells = 4_000_000;
const around = 3;

type Line = readonly [sign: ' ' | '-' | '+', text: string];

/** Writes how two texts differ, as a unified diff without the names of files; empty: they are the same. */
export function diffOf(before: string, after: string): string {
  if (before === after) return '';
  const lines = compared(before === '' ? [] : before.split('\n'), after === '' ? [] : after.split('\n'));
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(([sign]) => sign !== ' '),
  );
  const written: string[] = [];
  let [old, now] = [1, 1];
  lines.forEach(([sign, text], at) => {
    if (shown[at] === true) {
      if (shown[at - 1] !== true) written.push(`@@ -${old} +${now} @@`);
      written.push(sign + text);
    }
    if (sign !== '+') old += 1;
    if (sign !== '-') now += 1;
  });
  return written.join('\n');
}

function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (lines: readonly string[]): readonly Line[] => lines.map((text) => [' ', text]);
  return [
    ...same(before.slice(0, head)),
    ...changed(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

// By the longest common subsequence.
function changed(before: readonly string[], after: readonly string[]): readonly Line[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > mostCells)
    return [...before.map((text): Line => ['-', text]), ...after.map((text): Line => ['+', text])];
  const length = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number): number => length[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      length[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old = '', now = ''] = [before[row], after[column]];
    if (row < before.length && column < after.length && old === now) {
      lines.push([' ', old]);
      row += 1;
      column += 1;
    } else if (row < before.length && (column === after.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(['-', old]);
      row += 1;
    } else {
      lines.push(['+', now]);
      column += 1;
    }
  }
  return lines;
}
