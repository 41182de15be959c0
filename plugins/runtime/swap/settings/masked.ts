import type { JsonSchema } from '../../../../kernel/index.ts';

/** A value as it may be shown, as JSON; hidden: it is a secret. */
export type ShownValue = { readonly value: string } | { readonly hidden: true };

/** What a setting of a file refers to. */
export interface Reference {
  readonly source: 'environment' | 'secret_file';
  /** The variable or the file. */
  readonly from: string;
}

/** Reads a reference `{"$env": …}` or `{"$file": …}`; undefined: the value itself is written. */
export function referenceOf(raw: unknown): Reference | undefined {
  if (typeof raw !== 'object' || raw === null || Object.keys(raw).length !== 1) return undefined;
  const { $env, $file } = raw as { readonly $env?: unknown; readonly $file?: unknown };
  if (typeof $env === 'string') return { source: 'environment', from: $env };
  return typeof $file === 'string' ? { source: 'secret_file', from: $file } : undefined;
}

// A plugin or adapter from elsewhere may not mark its secrets.
const secretNames = /secret|passw|passphrase|token|credential|private|api_?key|master_?key|authorization|cookie/i;

/** Shows a value that is written in a file, without secrets. References stay as they are: they hold none. */
export function shownValue(name: string, raw: unknown, schema: JsonSchema | undefined): ShownValue {
  if (isSecret(name, raw, schema)) return { hidden: true };
  return { value: JSON.stringify(cleaned(raw, schema)) };
}

function isSecret(name: string, raw: unknown, schema: JsonSchema | undefined): boolean {
  if (referenceOf(raw) !== undefined) return false;
  return schema?.['secret'] === true || (typeof raw === 'string' && secretNames.test(name));
}

function cleaned(raw: unknown, schema: JsonSchema | undefined): unknown {
  // A password in an address.
  if (typeof raw === 'string') return raw.replace(/(:\/\/)[^/?#@\s]*@/g, '$1(hidden)@');
  if (Array.isArray(raw)) return raw.map((item) => cleaned(item, schema?.['items'] as JsonSchema | undefined));
  if (typeof raw !== 'object' || raw === null) return raw;
  const members = Object.entries(raw).map(([name, value]): [string, unknown] => {
    const member = memberOf(schema, name);
    return [name, isSecret(name, value, member) ? '(hidden)' : cleaned(value, member)];
  });
  return Object.fromEntries(members);
}

/** Finds the schema of a member of an object; undefined: the schema does not describe it. */
export function memberOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const rest = schema?.['additionalProperties'];
  const found = Object.hasOwn(properties, name) ? properties[name] : rest;
  return typeof found === 'object' && found !== null ? (found as JsonSchema) : undefined;
}
