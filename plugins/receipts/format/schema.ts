import type { JsonSchema } from '../../../kernel/index.ts';
import { isRecord } from './strict-json.ts';

const known = new Set([
  ...['type', 'const', 'enum', 'pattern', 'minLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'items'],
  ...['required', 'properties', 'additionalProperties', 'anyOf', 'not', 'format', '$id', 'title', 'description'],
]);
const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'integer', 'boolean']);
const formats: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ['date-time', isTime],
  ['date', (text: string) => isTime(`${text}T00:00:00.000Z`)],
]);

/** Answers what this verifier cannot check of a schema; undefined when it supports all of it. */
export function schemaFault(schema: unknown, at = ''): string | undefined {
  if (!isRecord(schema)) return `has no valid schema at ${at}`;
  const { anyOf, format, items, not, properties, type } = schema;
  const foreign = Object.keys(schema).find((keyword) => !known.has(keyword));
  if (foreign !== undefined) return `uses ${foreign} at ${at}, which verifiers do not know`;
  if (type !== undefined && !types.has(type)) return `has at ${at} a type that verifiers do not know`;
  if (format !== undefined && !formats.has(format)) return `has at ${at} a format that verifiers do not know`;
  const parts: readonly (readonly [string, unknown])[] = [
    ...(isRecord(properties) ? Object.entries(properties) : []),
    ...(Array.isArray(anyOf) ? anyOf.map((schema, index) => [String(index), schema] as const) : []),
    ...[items, not].flatMap((part) => (part === undefined ? [] : [['*', part] as const])),
  ];
  return parts.map(([name, part]) => schemaFault(part, `${at}/${name}`)).find((fault) => fault !== undefined);
}

/** Says whether a text in the format of a time is an existing time; true for `undefined`. */
export function isTime(text: unknown): boolean {
  if (text === undefined) return true;
  const ms = typeof text === 'string' ? Date.parse(text) : NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/**
 * Finds the first place (JSON Pointer) where a value breaks a schema; undefined when it fits. Supports the small part
 * of JSON Schema that the statement's schema uses, and throws on any other keyword: no rule is ever skipped.
 */
export function findMisfit(schema: JsonSchema, value: unknown, at = ''): string | undefined {
  const foreign = Object.keys(schema).find((keyword) => !known.has(keyword));
  if (foreign !== undefined) throw new Error(`the schema at ${at} uses ${foreign}, which the verifier does not know`);
  if (schema['const'] !== undefined && value !== schema['const']) return at;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) return at;
  if (isRecord(schema['not']) && findMisfit(schema['not'], value, at) === undefined) return at;
  if (Array.isArray(schema['anyOf'])) return misfitOfAny(schema['anyOf'] as readonly JsonSchema[], value, at);
  switch (schema['type']) {
    case 'object':
      return misfitOfObject(schema, value, at);
    case 'array':
      return misfitOfArray(schema, value, at);
    case 'string':
      return typeof value === 'string' && fitsText(schema, value) ? undefined : at;
    case 'integer':
      return fitsInteger(schema, value) ? undefined : at;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : at;
    case undefined:
      return undefined;
    default:
      throw new Error(`the schema at ${at} has a type the verifier does not know`);
  }
}

// The deepest misfit is in the alternative that was most likely intended.
function misfitOfAny(schemas: readonly JsonSchema[], value: unknown, at: string): string | undefined {
  const misfits = schemas.map((schema) => findMisfit(schema, value, at));
  if (misfits.includes(undefined)) return undefined;
  return misfits.reduce((deepest, misfit) => ((misfit ?? '').length > (deepest ?? '').length ? misfit : deepest));
}

function misfitOfObject(schema: JsonSchema, value: unknown, at: string): string | undefined {
  if (!isRecord(value)) return at;
  const required = (schema['required'] ?? []) as readonly string[];
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}/${missing}`;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  for (const [name, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) {
      if (schema['additionalProperties'] === false) return `${at}/${name}`;
      continue;
    }
    const misfit = findMisfit(property, member, `${at}/${name}`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function misfitOfArray(schema: JsonSchema, value: unknown, at: string): string | undefined {
  if (!Array.isArray(value)) return at;
  if (value.length < limit(schema, 'minItems', 0) || value.length > limit(schema, 'maxItems', Infinity)) return at;
  for (const [index, item] of value.entries()) {
    const misfit = findMisfit((schema['items'] ?? {}) as JsonSchema, item, `${at}/${index}`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function fitsText(schema: JsonSchema, value: string): boolean {
  if (value.length < limit(schema, 'minLength', 0)) return false;
  if (schema['format'] !== undefined && !fitsFormat(schema['format'], value)) return false;
  return typeof schema['pattern'] !== 'string' || new RegExp(schema['pattern'], 'u').test(value);
}

function fitsFormat(format: unknown, value: string): boolean {
  const fits = formats.get(format);
  if (fits === undefined)
    throw new Error(`the schema uses a format that the verifier does not know: ${JSON.stringify(format)}`);
  return fits(value);
}

function fitsInteger(schema: JsonSchema, value: unknown): boolean {
  if (!Number.isSafeInteger(value)) return false;
  return (
    (value as number) >= limit(schema, 'minimum', -Infinity) && (value as number) <= limit(schema, 'maximum', Infinity)
  );
}

function limit(schema: JsonSchema, keyword: string, otherwise: number): number {
  return typeof schema[keyword] === 'number' ? schema[keyword] : otherwise;
}
