import { html } from '../frame/html.ts';
import type { FieldFault } from '../frame/problem.ts';
import { CheckField, SelectField, TextField } from './field.ts';

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
  readonly required?: readonly string[];
}

/** Fields for the properties of an object, as typed; `valueOf` makes the JSON of them. */
export interface SchemaFormProps {
  readonly schema: FormSchema;
  readonly typed: Typed;
  readonly onChange: (typed: Typed) => void;
  /** What the server found, by JSON Pointer. */
  readonly errors?: readonly FieldFault[];
  /** JSON Pointer of the object, without the leading `#`. */
  readonly at?: string;
}

/** What the reader typed, by the JSON Pointer of the field. */
export type Typed = Readonly<Record<string, string | boolean>>;

/** Shows a field for each property of a schema. */
export function SchemaForm({ schema, typed, onChange, errors = [], at = '' }: SchemaFormProps) {
  const { properties = {}, required = [] } = schema;
  return html`<div class="stack fields">
    ${Object.entries(properties).map(([name, property]) => {
      const pointer = pointerOf(at, name);
      if (kindOf(property) === 'object')
        return html`<fieldset key=${pointer}>
          <legend>${labelOf(name, property)}</legend>
          <${SchemaForm} schema=${property} typed=${typed} onChange=${onChange} errors=${errors} at=${pointer} />
        </fieldset>`;
      return html`<${PropertyField}
        key=${pointer}
        name=${name}
        property=${property}
        required=${required.includes(name)}
        error=${errorAt(errors, pointer)}
        value=${typed[pointer] ?? initial(property)}
        onChange=${(value: string | boolean) => onChange({ ...typed, [pointer]: value })}
      />`;
    })}
  </div>`;
}

const pointerOf = (at: string, name: string): string => `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

type Kind = 'object' | 'choice' | 'yes' | 'number' | 'text' | 'lines' | 'list' | 'json';

function kindOf(schema: FormSchema): Kind {
  const { type, enum: choices, properties, items } = schema;
  if (choices !== undefined) return 'choice';
  if (type === 'object' && properties !== undefined) return 'object';
  if (type === 'boolean') return 'yes';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return takesLines(schema) ? 'lines' : 'text';
  if (type === 'array' && items?.type === 'string' && items.enum === undefined) return 'list';
  return 'json';
}

const endsOfLines = ['\n', 'a\nb', 'A\nB', '1\n2'];

/** Says whether a text may have several lines: many patterns refuse the end of a line, however long the text may be. */
export function takesLines({ format, maxLength = 0, pattern = '' }: FormSchema): boolean {
  if (format !== undefined || maxLength <= 500) return false;
  try {
    const fits = new RegExp(pattern, 'u');
    return endsOfLines.some((text) => fits.test(text));
  } catch {
    // A pattern of another dialect.
    return true;
  }
}

interface PropertyProps {
  readonly name: string;
  readonly property: FormSchema;
  readonly required: boolean;
  readonly error: string | undefined;
  readonly value: string | boolean;
  readonly onChange: (value: string | boolean) => void;
}

function PropertyField({ name, property, required, error, value, onChange }: PropertyProps) {
  const label = labelOf(name, property);
  const kind = kindOf(property);
  const hints: Partial<Record<Kind, string>> = { list: 'One per line.', json: 'As JSON.' };
  const hint = [property.description, hints[kind]].filter((part) => part !== undefined).join(' ');
  const common = { label, hint: hint === '' ? undefined : hint, error, required, onChange };
  if (kind === 'yes') return html`<${CheckField} ...${common} value=${value === true} />`;
  const text = String(value);
  if (kind === 'choice') {
    const options = (property.enum ?? []).map((one) => [String(one), String(one)]);
    return html`<${SelectField} ...${common} value=${text} options=${required ? options : [['', '–'], ...options]} />`;
  }
  const lines = { lines: 4, list: 3, json: 5 } as Partial<Record<Kind, number>>;
  return html`<${TextField}
    ...${common}
    value=${text}
    lines=${lines[kind]}
    code=${kind === 'json'}
    type=${inputType(kind, property)}
  />`;
}

const inputType = (kind: Kind, { format }: FormSchema): string =>
  kind === 'number' ? 'number' : format === 'email' ? 'email' : format === 'uri' ? 'url' : 'text';

const labelOf = (name: string, { title }: FormSchema): string => title ?? name;

function initial(schema: FormSchema): string | boolean {
  const { default: given = schema.const ?? schema.examples?.[0] } = schema;
  const kind = kindOf(schema);
  if (kind === 'yes') return given === true;
  if (given === undefined) return '';
  if (kind === 'list' && Array.isArray(given)) return given.join('\n');
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function errorAt(errors: readonly FieldFault[], pointer: string): string | undefined {
  const found = errors.filter(({ pointer: at }) => at.endsWith(pointer) || at.includes(`${pointer}/`));
  return found.length === 0 ? undefined : found.map(({ detail }) => detail).join('; ');
}

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
      faults.push(...inner.faults);
      if (Object.keys(inner.value).length > 0 || schema.required?.includes(name)) value[name] = inner.value;
      continue;
    }
    const read = readOne(property, typed[pointer] ?? initial(property));
    if ('fault' in read) faults.push({ pointer: `#${pointer}`, detail: read.fault });
    else if (read.value !== undefined) value[name] = read.value;
    else if (schema.required?.includes(name)) faults.push({ pointer: `#${pointer}`, detail: 'Required' });
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
  if (kind === 'list') return { value: typed.split('\n').filter((line) => line.trim() !== '') };
  if (kind === 'number')
    return Number.isFinite(Number(typed)) ? { value: Number(typed) } : { fault: 'Must be a number' };
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return { fault: 'Must be valid JSON' };
  }
}

/** Types a value into the fields of a schema, as `valueOf` reads them; undefined: they cannot hold all of it. */
export function typedOf(schema: FormSchema, value: Readonly<Record<string, unknown>>): Typed | undefined {
  const typed = typedAt(schema, value, '');
  return holdsAll(valueOf(schema, typed).value, value) ? typed : undefined;
}

function typedAt(schema: FormSchema, value: Readonly<Record<string, unknown>>, at: string): Typed {
  const typed: Record<string, string | boolean> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const pointer = pointerOf(at, name);
    const one = Object.hasOwn(value, name) ? value[name] : undefined;
    const kind = kindOf(property);
    if (kind === 'object') Object.assign(typed, typedAt(property, isRecord(one) ? one : {}, pointer));
    else typed[pointer] = kind === 'yes' ? one === true : textOf(kind, one);
  }
  return typed;
}

function textOf(kind: Kind, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  return kind !== 'json' && typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

// A box that is not ticked is `false`, also where the value has no member.
function holdsAll(read: unknown, value: unknown): boolean {
  if (!isRecord(read) || !isRecord(value)) return JSON.stringify(read) === JSON.stringify(value);
  return Object.entries(value).every(([name, one]) => holdsAll(read[name], one));
}

/** Says whether a value is an object with members. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
