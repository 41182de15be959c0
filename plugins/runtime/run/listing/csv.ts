// A spreadsheet runs a cell that begins so as a formula; a quote in front of it makes it a text
// (owasp.org/www-community/attacks/CSV_Injection). It also takes the wide forms of these signs.
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Writes a line of CSV (RFC 4180). Texts are quoted, and none is a formula for a spreadsheet. */
export function csvLine(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  return `"${formula.test(value) ? "'" : ''}${value.replaceAll('"', '""')}"`;
}
