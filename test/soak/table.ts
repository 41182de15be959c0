/** One row: a figure, and whether what must hold held; undefined: it is only shown. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly held?: boolean;
}

/** Draws the rows as one table of Markdown. */
export function drawTable(rows: readonly Row[]): string {
  const cells = rows.map(({ what, figure, held }) => [what, figure, held === undefined ? '' : held ? 'yes' : 'NO']);
  const all = [['What', 'Figure', 'Held'], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(all[0] ?? []), rule, ...cells.map(line)].join('\n');
}
