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
export type Kind = 'object' | 'choice' | 'yes' | 'number' | 'text' | 'lines' | 'list' | 'map' | 'json';

// A longer secret has several lines, such as a private key.
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
  return 'json';
}

const endsOfLines = ['\n', 'a\nb', 'A\nB', '1\n2'];

/** Says whether a text may have several lines: many patterns refuse the end of a line, however long the text may be. */
export function takesLines({ format, maxLength = 0, pattern = '', secret }: FormSchema): boolean {
  if (format !== undefined || maxLength <= (secret ? longSecret : 500)) return false;
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

/** Makes the JSON of what was typed. Fields left empty are left out; JSON that cannot be read is named. */
export function valueOf(
  schema: FormSchema,
  typed: Typed,
  at = '',
): { readonly value: Readonly<Record<string, unknown>>; readonly faults: readonly FieldFault[] } {
  const value: Record<string, unknown> = {};
  const faults: FieldFault[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const pointer = pointerOf(at, name);
    if (kindOf(property) === 'object') {
      const inner = valueOf(property, typed, pointer);
      const wanted = Object.keys(inner.value).length > 0 || schema.required?.includes(name);
      // What an optional object requires is missing only if some of it is there.
      faults.push(...inner.faults.filter(({ detail }) => wanted || detail !== missing));
      if (wanted) value[name] = inner.value;
      continue;
    }
    const read = readOne(property, typed[pointer] ?? initial(property));
    if ('fault' in read) faults.push({ pointer: `#${pointer}`, detail: read.fault });
    else if (read.value !== undefined) value[name] = read.value;
    else if (schema.required?.includes(name)) faults.push({ pointer: `#${pointer}`, detail: missing });
  }
  return { value, faults };
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
