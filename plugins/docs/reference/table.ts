/** Writes a Markdown table, or `None.` when there are no rows. Cells are Markdown: see `words` and `code`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'None.\n';
  const line = (cells: readonly string[]): string => `| ${cells.map(oneLine).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n') + '\n';
}

/** Escapes text of the program for Markdown: text between backticks stays code, all other characters are literal. */
export function words(text: string): string {
  const parts = text.split(/(`[^`]*`)/);
  return parts.map((part) => (part.startsWith('`') ? part : part.replace(/[\\*_<>[\]#]/g, '\\$&'))).join('');
}

/** Writes text as code. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Writes a value as a block of JSON. */
export function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
}

// An unescaped `|` would end the cell, even inside code.
function oneLine(cell: string): string {
  return cell.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
