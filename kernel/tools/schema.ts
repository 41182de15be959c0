import { setTimeout as pause } from 'node:timers/promises';
import type { Ajv } from 'ajv/dist/ajv.js';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import type { FromSchema, JSONSchema as AnySchema } from 'json-schema-to-ts';
import { isOfCalendar, parseTime, utcTime, withUtcTimes } from './time.ts';
import { loadAjv, loadDraft07 } from './packages/ajv.cjs';
import { listingFaults, partsOf } from './schema/large-value.ts';
import { schemaFaults, type Fault } from './schema/fault.ts';

/** A JSON Schema (2020-12) constant, kept loose: ajv's strict mode does the real check. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The type of the values a schema constant accepts. */
export type Infer<S> = S extends AnySchema ? FromSchema<S> : never;

/** The type of an answer by its schema: the members that the schema names, and no others. */
export type Answered<S> = Named<Infer<S>>;

type Named<T> = T extends readonly (infer I)[]
  ? readonly Named<I>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? (unknown extends T[K] ? never : K) : K]: Named<T[K]> }
    : T;

/** Marks, in the type alone, the schema of a member that an object may lack. */
export interface Optional {
  readonly mayBeAbsent: true;
}

const optionals = new WeakSet<object>();

/** Marks the schema of a member that `exactly` does not require. */
export function optional<const S extends object>(schema: S): S & Optional {
  const copy = { ...schema };
  optionals.add(copy);
  return copy as S & Optional;
}

/** Makes the schema of a whole number; an absent one is `byDefault`. */
export const integer = (minimum: number, maximum: number, byDefault: number, description: string) =>
  ({ type: 'integer', minimum, maximum, default: byDefault, description }) as const;

/** The schema of an object that `exactly` makes. */
export type Exactly<P> = {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly required: readonly ({ [K in keyof P]: P[K] extends Optional ? never : K }[keyof P] & string)[];
  readonly properties: P;
};

/** Makes the schema of an object with these members only; with a name it is a component of the OpenAPI document. */
export function exactly<const P extends object>(members: P): Exactly<P>;
export function exactly<const P extends object>(name: string, members: P): Exactly<P>;
export function exactly(...given: readonly unknown[]): object {
  const [title] = given.slice(0, -1);
  const properties = given.at(-1) as Readonly<Record<string, object>>;
  const required = Object.keys(properties).filter((name) => !optionals.has(properties[name] ?? {}));
  return {
    ...(title === undefined ? {} : { title }),
    ...{ type: 'object', additionalProperties: false },
    ...(required.length === 0 ? {} : { required }),
    properties,
  };
}

/** Validates a value: an empty list means it fits; defaults are filled in place. */
export type Validator = (value: unknown) => readonly Fault[];

const shared = {
  strict: true,
  strictRequired: false,
  strictTypes: false,
  useDefaults: true,
  allErrors: true,
  validateFormats: true,
  // Faults include the schema they broke, for its examples.
  verbose: true,
  // That takes a third of the time of compiling, and the code is no faster for it.
  code: { optimize: false },
} as const;
const exact = createLater(() => extend(new (loadAjv().Ajv2020)({ ...shared, allErrors: false })));
const listing = createLater(() => extend(new (loadAjv().Ajv2020)(shared)));
const coercing = createLater(() => extend(new (loadAjv().Ajv2020)({ ...shared, coerceTypes: true })));

function createLater<A extends Ajv | Ajv2020>(create: () => A): () => A {
  let made: A | undefined;
  return () => (made ??= create());
}

function extend<A extends Ajv | Ajv2020>(ajv: A, spend?: AloneOptions['spend']): A {
  // ajv compares each item with every other: half a minute for the hundred thousand that fit into a body.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (unique: boolean, items: readonly unknown[]) => !unique || areUnique(items, spend),
  });
  // Marks a configuration value that must come from {"$env"} or {"$file"} and is redacted in logs.
  ajv.addKeyword({ keyword: 'secret', schemaType: 'boolean' });
  ajv.addKeyword(utcTime);
  // It tells client generators how forms differ; `oneOf` is what validates.
  if (spend === undefined) ajv.addKeyword({ keyword: 'discriminator', schemaType: 'object' });
  // What authors say of inputs and outputs admits any offset; the platform's own times are UTC.
  const isTime = (text: string): boolean => parseTime(text) !== undefined;
  ajv.addFormat('date-time', spend === undefined ? (text: string) => text.endsWith('Z') && isTime(text) : isTime);
  ajv.addFormat('date', (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && isOfCalendar(`${text}T00:00:00Z`));
  return ajv;
}

/**
 * A one-line text without control, bidirectional and line-separating characters, which hide or reorder text. Listed by
 * code, because some regular-expression engines lack `\p{Cc}`.
 */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]*$';

/** Compiles a schema, without coercing types. Throws when the schema itself is wrong (ajv strict mode). */
export function compile(schema: JsonSchema): Validator {
  const first = compiled(schema, exact, exactValidators);
  const made = whole.get(first) ?? listingFaults(first, () => compiled(schema, listing, listingValidators));
  whole.set(first, made);
  return made;
}

/** Dialects of JSON Schema that are read. */
export type Dialect = '2020-12' | 'draft-07';

const draft07 = createLater(() => new (loadDraft07().Ajv)({ strict: false, logger: false }));

/** Throws, with the first faults, when a schema does not fit the meta-schema of its dialect. */
export function checkDialect(schema: JsonSchema, dialect: Dialect = '2020-12'): void {
  const ajv = dialect === '2020-12' ? exact() : draft07();
  if (ajv.validateSchema(schema) === true) return;
  throw new Error(`schema is invalid: ${ajv.errorsText(ajv.errors?.slice(0, 3), { dataVar: '#' })}`);
}

// The parts that a schema compiled alone may use.
interface AloneOptions {
  readonly dialect?: Dialect;
  /** Formats are not checked, and defaults are not filled in. */
  readonly lenient?: boolean;
  /** Finds the matcher of a pattern; matchers are told apart by their text. */
  readonly pattern: (source: string) => { test(text: string): boolean; toString(): string };
  /** Called for each use of a subschema with `$work`: its work, and the number of faults so far. */
  readonly spend: (work: number, faults: number) => void;
}

/** Value of `$work`: the work of a subschema. */
export interface Weight {
  /** Work per value. */
  readonly value: number;
  /** Work per character, item or member of the value. */
  readonly part: number;
}

/** Compiles a checked schema in a compiler of its own: its names stay its own, its memory is freed with it. */
export function compileAlone(schema: JsonSchema, { pattern, spend, dialect, lenient }: AloneOptions): Validator {
  // Without the dialect's own schemas a compiler costs next to nothing. A definition that is referenced a thousand
  // times is compiled once: a copy at each place would take gigabytes. Code is not optimized: that takes longer than
  // all the rest. The check whether a property matches a neighbour's pattern is off: V8's engine would do it.
  const regExp = Object.assign(pattern, { code: 'pattern' });
  const lean = { meta: false, validateSchema: false, inlineRefs: false, allowMatchingProperties: true };
  const loose =
    lenient === true ? { strict: false, useDefaults: false, validateFormats: false, logger: false as const } : {};
  const { Ajv2020: Newest } = loadAjv();
  const Compiler = dialect === 'draft-07' ? loadDraft07().Ajv : Newest;
  const make = (allErrors: boolean): Validator => {
    const options = { ...shared, ...lean, ...loose, allErrors, code: { optimize: false, regExp } };
    return validator(weighed(extend(new Compiler(options), spend), spend).compile(schema));
  };
  return listingFaults(make(false), () => make(true));
}

function weighed<A extends Ajv | Ajv2020>(ajv: A, spend: AloneOptions['spend']): A {
  const { _, Name } = loadAjv();
  ajv.addKeyword({
    keyword: '$work',
    schemaType: 'object',
    before: '$ref',
    code: ({ gen, data, schema: weight }) => {
      const { value, part } = weight as Weight;
      const parts = part === 0 ? _`0` : _`${gen.scopeValue('func', { ref: partsOf })}(${data}) * ${part}`;
      gen.code(_`${gen.scopeValue('func', { ref: spend })}(${value} + ${parts}, ${new Name('errors')})`);
    },
  });
  return ajv;
}

/** Compiles a shipped schema at its first use: all of them would add a fifth of a second to each start. */
export function compileLater(schema: JsonSchema, how: (schema: JsonSchema) => Validator = compile): Validator {
  let made: Validator | undefined;
  const validate = (): Validator => (made ??= how(schema));
  waiting.push(validate);
  return (value) => validate()(value);
}

const waiting: (() => Validator)[] = [];

/** Makes the compilers themselves, which takes far longer than to compile one schema. */
export function prepareCompilers(): void {
  exact();
  coercing();
}

/** Compiles `most` schemas that wait for their first use, and rests `restMs` after each: first requests go before. */
export async function compileWaiting(restMs = 20, most = Infinity): Promise<void> {
  for (let left = most, make = waiting.pop(); make !== undefined; make = --left > 0 ? waiting.pop() : undefined) {
    try {
      make();
    } catch {
      // A wrong schema throws again at its first use, where it is told.
    }
    await pause(restMs, undefined, { ref: false });
  }
  listing();
}

/** Compiles a schema for bodies of requests: times may have any offset and become UTC in place. */
export function compileBody(schema: JsonSchema): Validator {
  return compile(withUtcTimes(schema));
}

/** Compiles a schema for path and query parameters: text is coerced to the schema's types in place, times to UTC. */
export function compileParameters(schema: JsonSchema): Validator {
  return compiled(withUtcTimes(schema), coercing, coercingValidators);
}

// Keyed by the text of the schema: ajv never frees what it compiled, and the same Orb may be published again and again.
const listingValidators = new Map<string, Validator>();
const whole = new WeakMap<Validator, Validator>();
const exactValidators = new Map<string, Validator>();
const coercingValidators = new Map<string, Validator>();

function compiled(schema: JsonSchema, compiler: () => Ajv2020, known: Map<string, Validator>): Validator {
  const plain = withoutId(schema);
  const text = JSON.stringify(plain);
  const found = known.get(text);
  if (found !== undefined) return found;
  const ajv = compiler();
  try {
    const made = validator(ajv.compile(plain));
    known.set(text, made);
    return made;
  } finally {
    ajv.removeSchema(plain);
  }
}

// `$id` names the OpenAPI component; ajv would read it as a global address and refuse its second use.
function withoutId({ $id: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

// Forms whose rule is clearer in words than as a pattern.
const forms = new Map<unknown, string>([
  [plainText, 'must be one line without control characters or text direction marks'],
  ['date-time', 'must be a time like 2026-01-31T12:00:00Z'],
  ['date', 'must be a day like 2026-01-31'],
  ['^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', 'must be lower-case letters, digits and hyphens between them, like team-1'],
  ['^sha256:[0-9a-f]{64}$', 'must be `sha256:` and 64 hexadecimal digits in lower case'],
  ['^[Hh][Tt][Tt][Pp][Ss]?://\\S+$', 'must be an address like https://example.org/path'],
  ['\\S', 'must not be empty'],
]);

const noFaults: readonly Fault[] = Object.freeze([]);

function validator(validate: ValidateFunction): Validator {
  return (value) => (validate(value) ? noFaults : schemaFaults(validate.errors ?? [], forms));
}

/** Says whether no two items are equal, in linear time. `spend` is told how much each comparison costs. */
export function areUnique(items: readonly unknown[], spend?: (work: number, faults: number) => void): boolean {
  const seen = new Set<unknown>();
  const texts = new Set<string>();
  return items.every((item) => {
    const nested = typeof item === 'object' && item !== null;
    const [set, key] = nested ? [texts, JSON.stringify(item, inOrder)] : [seen, item];
    spend?.(typeof key === 'string' ? key.length : 1, 0);
    return set.size < set.add(key).size;
  });
}

// Objects are equal whatever the order of their members.
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
