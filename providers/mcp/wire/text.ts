const longest = 500;
const control =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;

/** Cuts a server's text for callers: one line, without characters that hide or reorder text. */
export function plain(text: string): string {
  return text
    .slice(0, 4 * longest)
    .toWellFormed()
    .replace(control, ' ')
    .replace(/ {2,}/g, ' ')
    .slice(0, longest);
}

/** Says whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The result of a tool, of whatever form its server gave it. */
export type ToolResult = Readonly<Record<string, unknown>>;
