/** A row: its name, and one cell per column. */
export type Row = readonly [name: string, ...cells: readonly string[]];

/** Prints a table: its title stands above the names, the heads of the columns above their cells, all to the right. */
export function printTable(title: string, heads: readonly string[], rows: readonly Row[]): void {
  const all: readonly Row[] = [[title, ...heads], ...rows.map(([name, ...cells]): Row => [`  ${name}`, ...cells])];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log('');
  for (const [name, ...cells] of all) {
    const columns = cells.map((cell, index) => cell.padStart((widths[index + 1] ?? 0) + 3));
    console.log(`${name.padEnd(widths[0] ?? 0)}${columns.join('')}`);
  }
}

/** Writes a share of a base in percent. */
export function percent(figure: number, base: number): string {
  return `${((figure / base) * 100).toFixed(0)} %`;
}

/** Writes how many times as much as a base something is. */
export function times(figure: number, base: number): string {
  return `${(figure / base).toFixed(2)} ×`;
}
