// Matches strings, with escaped quotes allowed, and the marks that open, close and separate.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;
const deepest = 64;

/**
 * Parses JSON in which no object has duplicate members (readers differ in which one they take) and nothing is nested
 * deeper than 64. Answers undefined for any other text.
 */
export function parseStrict(text: string): unknown {
  const value = parseJson(text);
  return value !== undefined && isPlain(text) ? value : undefined;
}

/** Parses JSON; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads bytes as UTF-8; undefined when they are not. */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
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
