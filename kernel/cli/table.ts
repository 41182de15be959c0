/** Formats rows of text in columns, two spaces apart; control characters, which may be untrusted, become spaces. */
export function table(rows: readonly (readonly string[])[]): string {
  const plain = rows.map((row) => row.map((cell) => [...cell.replace(/\p{Cc}+/gu, ' ')]));
  const widths: number[] = [];
  for (const row of plain) row.forEach(({ length }, at) => (widths[at] = Math.max(widths[at] ?? 0, length)));
  const line = (row: readonly (readonly string[])[]): string =>
    row.map((cell, at) => cell.join('') + ' '.repeat((widths[at] ?? 0) - cell.length)).join('  ');
  return plain.map((row) => line(row).trimEnd()).join('\n');
}
