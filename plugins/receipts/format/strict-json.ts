// Matches strings, with escaped quotes allowed, and the marks that open, close and separate.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;
const deepest = 64;

/**
 * Parses JSON in which no object has duplicate members (readers differ in which one they take) and nothing is nested
 * deeper than 64. Answers undefined for any other text.
 */
export function parseStrict(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isPlain(text) ? value : undefined;
}

// The text is known to be JSON, so a string before a colon is a member's name.
function isPlain(text: string): boolean {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      if (open.push(new Set()) > deepest) return false;
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = JSON.parse(last) as string;
      const names = open.at(-1);
      if (names?.has(name)) return false;
      names?.add(name);
    } else last = token;
  }
  return true;
}

/** Says whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
