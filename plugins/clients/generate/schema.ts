import type { JsonSchema } from '../../../kernel/index.ts';

/** A JSON Schema as a type of a language: what a writer of types knows how to write. */
export type Shape =
  | { readonly kind: 'unknown'; readonly because?: string }
  | { readonly kind: 'never' | 'string' | 'number' | 'integer' | 'boolean' | 'null' }
  | { readonly kind: 'literal'; readonly values: readonly unknown[] }
  | { readonly kind: 'list'; readonly items: Shape }
  | { readonly kind: 'either' | 'all'; readonly of: readonly Shape[] }
  | {
      readonly kind: 'object';
      readonly members: readonly { readonly name: string; readonly shape: Shape; readonly optional: boolean }[];
      /** More members than these are allowed. */
      readonly open: boolean;
    };

type Keywords = Readonly<Record<string, unknown>>;

const unknown: Shape = { kind: 'unknown' };
// Keywords that change which values fit in a way that no type of ours says.
const opaque = ['$dynamicRef', 'not', 'if', 'patternProperties', 'prefixItems', 'dependentSchemas'];

/**
 * Reads a schema as a shape. A shape takes every value that fits the schema, and perhaps more: limits of sizes and texts are
 * no types. What it cannot say is `unknown`, with the keyword that is why.
 */
export function shapeOf(schema: unknown, whole: unknown = schema, within: readonly string[] = []): Shape {
  if (schema === false) return { kind: 'never' };
  if (typeof schema !== 'object' || schema === null) return unknown;
  const words = schema as Keywords;
  const at = (part: unknown): Shape => shapeOf(part, whole, within);
  const shapes: Shape[] = [];
  if (typeof words['$ref'] === 'string') shapes.push(referred(words['$ref'], whole, within));
  if ('const' in words) shapes.push(literal([words['const']]));
  if (Array.isArray(words['enum'])) shapes.push(literal(words['enum']));
  for (const name of ['anyOf', 'oneOf'])
    if (Array.isArray(words[name])) shapes.push({ kind: 'either', of: (words[name] as unknown[]).map(at) });
  if (Array.isArray(words['allOf'])) shapes.push({ kind: 'all', of: (words['allOf'] as unknown[]).map(at) });
  const found = opaque.find((name) => name in words);
  if (found !== undefined) shapes.push({ kind: 'unknown', because: found });
  else if (words['type'] !== undefined) shapes.push(typed(words, at));
  const known = shapes.filter(({ kind }) => kind !== 'unknown');
  const [only = shapes[0] ?? unknown, ...more] = known;
  return more.length === 0 ? only : { kind: 'all', of: known };
}

function literal(values: readonly unknown[]): Shape {
  const plain = values.every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value));
  return plain ? { kind: 'literal', values } : { kind: 'unknown', because: 'a constant that is no plain value' };
}

function referred(reference: string, whole: unknown, within: readonly string[]): Shape {
  if (!reference.startsWith('#')) return { kind: 'unknown', because: `$ref ${reference}` };
  if (within.includes(reference)) return { kind: 'unknown', because: 'a schema that contains itself' };
  const target = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => (value as Keywords | undefined)?.[name], whole);
  return shapeOf(target, whole, [...within, reference]);
}

function typed(words: Keywords, at: (part: unknown) => Shape): Shape {
  const types = [words['type']].flat();
  const shapes = types.map((type): Shape => {
    if (type === 'object') return objectOf(words, at);
    if (type === 'array') return { kind: 'list', items: at(words['items']) };
    const plain = (['string', 'number', 'integer', 'boolean', 'null'] as const).find((one) => one === type);
    return plain === undefined ? unknown : { kind: plain };
  });
  const [only = unknown, ...more] = shapes;
  return more.length === 0 ? only : { kind: 'either', of: shapes };
}

function objectOf(words: Keywords, at: (part: unknown) => Shape): Shape {
  const required = new Set((words['required'] ?? []) as readonly string[]);
  const properties = Object.entries((words['properties'] ?? {}) as JsonSchema);
  return {
    kind: 'object',
    members: properties.map(([name, member]) => ({ name, shape: at(member), optional: !required.has(name) })),
    open:
      words['additionalProperties'] !== false ||
      [...required].some((name) => !properties.some(([one]) => one === name)),
  };
}
