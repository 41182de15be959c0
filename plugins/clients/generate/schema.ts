/** A value that a type can name. */
export type Plain = string | number | boolean | null;

/** A member of an object, and its type. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

/** How a language writes types. A type takes every value that fits the schema, and perhaps more. */
export interface Language {
  /** The types of JSON Schema but objects and arrays, by their name. */
  readonly plain: Readonly<Record<string, string>>;
  /** The type that no value has. */
  readonly never: string;
  /** Any value; `because`: why no type says more. */
  unknown(because?: string): string;
  literal(values: readonly Plain[]): string;
  list(item: string): string;
  either(types: readonly string[]): string;
  all(types: readonly string[]): string;
  /** An object with these members and no others; `path`: words from the Orb to the object, for its name. */
  object(path: readonly string[], members: readonly Member[]): string;
  /** An object that may have others, too. */
  open(members: () => readonly Member[]): string;
}

/** Where a schema is read: what a reference is relative to, and the references that lead here. */
interface Reading {
  readonly language: Language;
  readonly path: readonly string[];
  readonly whole: unknown;
  readonly within: readonly string[];
}

type Keywords = Readonly<Record<string, unknown>>;

/** Writes the type that the value of a keyword says; `words`: the schema that it is of. */
type KeywordReader = (value: unknown, reading: Reading, words: Keywords) => string;

const readers: Readonly<Record<string, KeywordReader>> = {
  $ref: referred,
  const: (value, { language }) => literal([value], language),
  enum: (values, { language }) => literal([values].flat(), language),
  anyOf: (parts, reading) => joined('either', each(parts, reading), reading),
  oneOf: (parts, reading) => joined('either', each(parts, reading), reading),
  allOf: (parts, reading) => joined('all', each(parts, reading), reading),
  type: typed,
};
// Keywords that change which values fit in a way that no type of ours says.
const opaque = ['$dynamicRef', 'not', 'if', 'patternProperties', 'prefixItems', 'dependentSchemas'];

/**
 * Writes the type of a schema. Limits of sizes and texts are no types. What no type says is any value, with the keyword
 * that is why.
 */
export function typeOf(schema: unknown, path: readonly string[], language: Language): string {
  return read(schema, { language, path, whole: schema, within: [] });
}

function read(schema: unknown, reading: Reading): string {
  const { language } = reading;
  if (schema === false) return language.never;
  if (typeof schema !== 'object' || schema === null) return language.unknown();
  const words = schema as Keywords;
  const found = opaque.find((word) => word in words);
  // Beside such a keyword, the type would say too much.
  const known = Object.entries(readers).filter(([word]) => word in words && (word !== 'type' || found === undefined));
  const types = known.map(([word, write]) => write(words[word], reading, words));
  return joined('all', found === undefined ? types : [...types, language.unknown(found)], reading);
}

const below = (part: unknown, name: string, reading: Reading): string =>
  read(part, { ...reading, path: [...reading.path, name] });

const each = (parts: unknown, reading: Reading): readonly string[] =>
  [parts].flat().map((part, at) => below(part, String(at + 1), reading));

function joined(by: 'all' | 'either', types: readonly string[], { language }: Reading): string {
  const [only = language.unknown(), ...more] = types;
  return more.length === 0 ? only : language[by](types);
}

function literal(values: readonly unknown[], language: Language): string {
  const isPlain = (value: unknown): value is Plain => typeof value !== 'object' || value === null;
  if (values.length === 0) return language.never;
  return values.every(isPlain) ? language.literal(values) : language.unknown('a constant that is no plain value');
}

function referred(value: unknown, reading: Reading): string {
  const { language, whole, within } = reading;
  const reference = String(value);
  if (!reference.startsWith('#')) return language.unknown(`$ref ${reference}`);
  if (within.includes(reference)) return language.unknown('a schema that contains itself');
  const target = reference
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((found, name) => (found as Keywords | undefined)?.[name], whole);
  return read(target, { ...reading, within: [...within, reference] });
}

function typed(value: unknown, reading: Reading, words: Keywords): string {
  const { language } = reading;
  const types = [value].flat().map((type) => {
    if (type === 'object') return objectOf(words, reading);
    if (type === 'array') return language.list(below(words['items'], 'Item', reading));
    return language.plain[String(type)] ?? language.unknown();
  });
  return joined('either', types, reading);
}

function objectOf(words: Keywords, reading: Reading): string {
  const { language, path } = reading;
  const required = (words['required'] ?? []) as readonly string[];
  const properties = (words['properties'] ?? {}) as Keywords;
  const members = (): readonly Member[] =>
    Object.entries(properties).map(([name, schema]) => ({
      ...{ name, type: below(schema, name, reading), optional: !required.includes(name) },
    }));
  const isClosed = words['additionalProperties'] === false && required.every((name) => Object.hasOwn(properties, name));
  return isClosed ? language.object(path, members()) : language.open(members);
}
