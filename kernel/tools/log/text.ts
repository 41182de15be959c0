const plain = /^[\w@{}/.:+-]+$/;

/**
 * Turns a JSON line of the log into a line for people: time, level, message, fields; an error's stack follows below.
 */
export function textLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const said = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const head = [time, String(level).toUpperCase().padEnd(5), msg, ...said].join(' ');
  return `${harmless(head)}${stackOf(err)}\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' && plain.test(value) ? value : JSON.stringify(value);
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return error === undefined ? '' : ` err=${textOf(error)}`;
  const { stack, message } = error as Readonly<Record<string, unknown>>;
  const told = [stack, message].find((text) => typeof text === 'string') ?? JSON.stringify(error);
  const lines = told.split('\n');
  return lines.map((line) => `\n    ${harmless(line.trim())}`).join('');
}

// A terminal would obey control characters, and bidirectional characters change how the text reads.
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}
