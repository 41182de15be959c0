import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonSchema } from '../tools/schema.ts';

const longestBytes = 1_048_576;

/** The sources of references: {"$env": "NAME"} in `env`, {"$file": "path"} relative to `home`. */
export interface SecretSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Replaces every {"$env": …} and {"$file": …} in a configuration by its value, or by an empty text and a fault. */
export function resolveReferences(raw: unknown, path: string, source: SecretSource, faults: string[]): unknown {
  if (Array.isArray(raw)) return raw.map((item, index) => resolveReferences(item, `${path}/${index}`, source, faults));
  if (typeof raw !== 'object' || raw === null) return raw;
  const reference = referenceOf(raw);
  if (reference !== undefined) return resolveOne(reference, path, source, faults);
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [key, resolveReferences(value, `${path}/${key}`, source, faults)]),
  );
}

/** Reports every value that the schema marks `secret` and that is written in the file itself. */
export function literalSecrets(raw: unknown, schema: JsonSchema, path: string): string[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const rest = schema[Array.isArray(raw) ? 'items' : 'additionalProperties'];
  return Object.entries(raw as Readonly<Record<string, unknown>>).flatMap(([key, value]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : (rest as JsonSchema | boolean | undefined);
    if (typeof property !== 'object') return [];
    if (property['secret'] !== true) return literalSecrets(value, property, `${path}/${key}`);
    const referenced = typeof value === 'object' && value !== null && referenceOf(value) !== undefined;
    return referenced
      ? []
      : [`${path}/${key}: is a secret and must not be written here; use {"$env": "NAME"} or {"$file": "path"}`];
  });
}

/** Lists the names of variables a configuration refers to by {"$env": …}. */
export function referencedVariables(raw: unknown): string[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const reference = referenceOf(raw);
  if (reference?.kind === '$env') return [reference.value];
  return Object.values(raw as Readonly<Record<string, unknown>>).flatMap(referencedVariables);
}

interface Reference {
  readonly kind: '$env' | '$file';
  readonly value: string;
}

function referenceOf(raw: object): Reference | undefined {
  const [entry, ...rest] = Object.entries(raw as Readonly<Record<string, unknown>>);
  if (entry === undefined || rest.length > 0) return undefined;
  const [kind, value] = entry;
  return (kind === '$env' || kind === '$file') && typeof value === 'string' ? { kind, value } : undefined;
}

function resolveOne({ kind, value }: Reference, path: string, { env, home }: SecretSource, faults: string[]): string {
  if (kind === '$env') {
    const text = env[value];
    if (text === undefined || text === '') faults.push(`${path}: the environment variable ${value} is not set`);
    return text ?? '';
  }
  try {
    const file = resolve(home, value);
    if (!isReadable(file)) {
      faults.push(`${path}: ${value} is not a regular file of at most ${longestBytes} bytes`);
      return '';
    }
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (text === '') faults.push(`${path}: the file ${value} is empty`);
    return text;
  } catch (error) {
    faults.push(`${path}: cannot read the file ${value} (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
    return '';
  }
}

// Reading a pipe may wait for its writer for ever and a device may never end; the whole process would wait.
function isReadable(file: string): boolean {
  const found = statSync(file);
  return found.isFile() && found.size <= longestBytes;
}
