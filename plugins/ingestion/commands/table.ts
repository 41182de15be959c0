/** Lays out rows of text in columns, two spaces apart; control characters of senders become spaces. */
export function table(rows: readonly (readonly string[])[]): string {
  const plain = rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}+/gu, ' ')));
  const widths: number[] = [];
  for (const row of plain) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return plain
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
