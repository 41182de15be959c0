import type { FieldFault } from '../../frame/problem.ts';
import { pairsOf, textOfPairs } from './pairs.ts';

/** The part of JSON Schema that forms are made of; anything else is typed as JSON. */
export interface FormSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: FormSchema;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly additionalProperties?: boolean | FormSchema;
  readonly required?: readonly string[];
  /** Typed unseen, and not read again. */
  readonly secret?: boolean;
}

/** What the reader typed, by the JSON Pointer of the field. */
export type Typed = Readonly<Record<string, string | boolean>>;

/** Writes the JSON Pointer of a member. */
export const pointerOf = (at: string, name: string): string =>
  `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** How a value is typed. */
export type Kind = 'object' | 'choice' | 'yes' | 'number' | 'text' | 'lines' | 'list' | 'map' | 'rows' | 'json';

// A longer text has several lines, and so has a longer secret, such as a private key.
const longLine = 512;
const longSecret = 8192;

/** Says how the values of a schema are typed. */
export function kindOf(schema: FormSchema): Kind {
  const { type, enum: choices, properties, items, additionalProperties: rest } = schema;
  if (choices !== undefined) return 'choice';
  if (type === 'object' && properties !== undefined) return 'object';
  if (type === 'object' && typeof rest === 'object' && rest.type === 'string' && rest.enum === undefined) return 'map';
  if (type === 'boolean') return 'yes';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return takesLines(schema) ? 'lines' : 'text';
  if (type === 'array' && items?.type === 'string' && items.enum === undefined) return 'list';
  // Others are shorter as JSON, which would show secrets.
  return type === 'array' && items?.properties !== undefined && hasSecret(items) ? 'rows' : 'json';
}

function hasSecret({ additionalProperties: rest, items, properties = {}, secret }: FormSchema): boolean {
  const below = [...Object.values(properties), ...(typeof rest === 'object' ? [rest] : []), ...(items ? [items] : [])];
  return secret === true || below.some(hasSecret);
}

/** Reads what is typed of a list of objects: the fields of each, by their pointers in it. */
export const rowsOf = (typed: string | boolean): readonly Typed[] =>
  typed === '' ? [] : (JSON.parse(String(typed)) as readonly Typed[]);

/** Writes what is typed of a list of objects. */
export const textOfRows = (rows: readonly Typed[]): string => (rows.length === 0 ? '' : JSON.stringify(rows));

const endsOfLines = ['\n', 'a\nb', 'A\nB', '1\n2'];

/** Says whether a text may have several lines: many patterns refuse the end of a line, however long the text may be. */
export function takesLines({ format, maxLength = 0, pattern = '', secret }: FormSchema): boolean {
  if (format !== undefined || maxLength <= (secret ? longSecret : longLine)) return false;
  try {
    const fits = new RegExp(pattern, 'u');
    return endsOfLines.some((text) => fits.test(text));
  } catch {
    // A pattern of another dialect.
    return true;
  }
}

/** Says whether a value is an object with members. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a field begins with: a default, or a sample. */
export function initial(schema: FormSchema): string | boolean {
  const { default: given = schema.const ?? schema.examples?.[0] } = schema;
  return kindOf(schema) === 'yes' ? given === true : textOf(schema, given);
}

/** Writes a value as it is typed: empty for one that is not there. */
export function textOf(schema: FormSchema, value: unknown): string | boolean {
  const kind = kindOf(schema);
  if (value === undefined) return '';
  if (kind === 'yes') return value === true;
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  if (kind === 'rows' && Array.isArray(value))
    return textOfRows(value.map((item) => typedOf(schema.items ?? {}, item as unknown)));
  if (kind === 'map') return textOfPairs(Object.entries(Object(value) as object));
  return typeof value === 'string' ? value : JSON.stringify(value, null, kind === 'json' ? 2 : undefined);
}

/** Writes a value as typed in all fields of a schema: none of them has a sample or a default. */
export function typedOf(schema: FormSchema, value: unknown = {}, at = ''): Typed {
  const parts = Object.entries(schema.properties ?? {}).map(([name, property]): Typed => {
    const pointer = pointerOf(at, name);
    const given = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    if (kindOf(property) === 'object') return typedOf(property, given, pointer);
    return { [pointer]: textOf(property, given) };
  });
  return Object.assign({}, ...parts) as Typed;
}

const missing = 'Required';

interface Read {
  readonly value: unknown;
  readonly faults: readonly FieldFault[];
}

/** Makes the JSON of what was typed. Fields left empty are left out; JSON that cannot be read is named. */
export function valueOf(
  schema: FormSchema,
  typed: Typed,
  at = '',
): Read & { readonly value: Readonly<Record<string, unknown>> } {
  const reads = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const place = { pointer: pointerOf(at, name), required: schema.required?.includes(name) === true };
    return [name, readMember(property, typed, place)] as const;
  });
  const there = reads.filter(([, { value }]) => value !== undefined);
  return {
    value: Object.fromEntries(there.map(([name, { value }]) => [name, value])),
    faults: reads.flatMap(([, { faults }]) => faults),
  };
}

interface Place {
  readonly pointer: string;
  readonly required: boolean;
}

function readMember(schema: FormSchema, typed: Typed, { pointer, required }: Place): Read {
  const kind = kindOf(schema);
  if (kind === 'object') {
    const { value, faults } = valueOf(schema, typed, pointer);
    if (Object.keys(value).length > 0 || required) return { value, faults };
    // What an optional object requires is missing only if some of it is there.
    return { value: undefined, faults: faults.filter(({ detail }) => detail !== missing) };
  }
  const given = typed[pointer] ?? initial(schema);
  if (kind === 'rows' && given !== '') return readRows(schema, rowsOf(given), pointer);
  const read = readOne(schema, given);
  if ('fault' in read) return { value: undefined, faults: [{ pointer: `#${pointer}`, detail: read.fault }] };
  const lacks = read.value === undefined && required;
  return { value: read.value, faults: lacks ? [{ pointer: `#${pointer}`, detail: missing }] : [] };
}

function readRows({ items = {} }: FormSchema, rows: readonly Typed[], pointer: string): Read {
  const reads = rows.map((row) => valueOf(items, row));
  const faults = reads.map((read, at) =>
    read.faults.map(({ pointer: below, detail }) => ({ pointer: `#${pointer}/${at}${below.slice(1)}`, detail })),
  );
  return { value: reads.map(({ value }) => value), faults: faults.flat() };
}

function readOne(
  schema: FormSchema,
  typed: string | boolean,
): { readonly value: unknown } | { readonly fault: string } {
  const kind = kindOf(schema);
  if (typeof typed === 'boolean') return { value: typed };
  if (typed === '') return { value: undefined };
  if (kind === 'text' || kind === 'lines') return { value: typed };
  if (kind === 'choice') return { value: schema.enum?.find((one) => String(one) === typed) };
  if (kind === 'map') return pairsOf(typed);
  if (kind === 'list') return { value: typed.split('\n').filter((line) => line.trim() !== '') };
  if (kind === 'number')
    return Number.isFinite(Number(typed)) ? { value: Number(typed) } : { fault: 'Must be a number' };
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return { fault: 'Must be valid JSON' };
  }
}
