/** Returns the member of a JSON object; undefined when the value is no object or has no such member. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Returns the text under `name` in a JSON object, if there is one. */
export function textMember(value: unknown, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** Encodes a JSON body. */
export function jsonBody(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
