import { html } from '../frame/html.ts';
import type { FieldFault } from '../frame/problem.ts';
import { CheckField, SelectField, TextField } from './field.ts';
import {
  initial,
  kindOf,
  pointerOf,
  rowsOf,
  textOf,
  textOfRows,
  typedOf,
  type FormSchema,
  type Kind,
  type Typed,
} from './form/schema.ts';
import { MapField } from './form/map-field.ts';

export { isRecord, typedOf, valueOf, type FormSchema, type Typed } from './form/schema.ts';

/** Fields for the properties of an object, as typed; `valueOf` makes the JSON of them. */
export interface SchemaFormProps {
  readonly schema: FormSchema;
  readonly typed: Typed;
  readonly onChange: (typed: Typed) => void;
  /** What the server found, by JSON Pointer. */
  readonly errors?: readonly FieldFault[];
  /** JSON Pointer of the object, without the leading `#`. */
  readonly at?: string;
  /** JSON Pointers of secrets that are set, and cannot be read. */
  readonly kept?: readonly string[];
}

/** Shows a field for each property of a schema. */
export function SchemaForm({ schema, typed, onChange, errors = [], at = '', kept = [] }: SchemaFormProps) {
  const { properties = {}, required = [] } = schema;
  return html`<div class="stack fields">
    ${Object.entries(properties).map(([name, property]) => {
      const pointer = pointerOf(at, name);
      if (kindOf(property) === 'object')
        return html`<fieldset key=${pointer}>
          <legend>${labelOf(name, property)}</legend>
          ${property.description && html`<p class="hint">${property.description}</p>`}
          <${SchemaForm}
            schema=${property}
            typed=${typed}
            onChange=${onChange}
            errors=${errors}
            at=${pointer}
            kept=${kept}
          />
        </fieldset>`;
      if (kindOf(property) === 'rows')
        return html`<${RowsField}
          key=${pointer}
          label=${labelOf(name, property)}
          schema=${property}
          errors=${errors}
          at=${pointer}
          kept=${kept}
          value=${typed[pointer] ?? initial(property)}
          onChange=${(value: string) => onChange({ ...typed, [pointer]: value })}
        />`;
      return html`<${PropertyField}
        key=${pointer}
        name=${name}
        property=${property}
        required=${required.includes(name)}
        error=${errorAt(errors, pointer)}
        value=${typed[pointer] ?? initial(property)}
        kept=${kept.includes(pointer)}
        onChange=${(value: string | boolean) => onChange({ ...typed, [pointer]: value })}
      />`;
    })}
  </div>`;
}

interface RowsProps extends Required<Pick<SchemaFormProps, 'schema' | 'errors' | 'at' | 'kept'>> {
  readonly label: string;
  readonly value: string | boolean;
  readonly onChange: (value: string) => void;
}

// A list of objects: fields for each of them.
function RowsField({ label, schema: { description, items = {} }, errors, at, kept, value, onChange }: RowsProps) {
  const rows = rowsOf(value);
  const below = (row: number): string => `#${at}/${row}`;
  const own = errorAt(
    errors.filter(({ pointer }) => pointer === `#${at}`),
    at,
  );
  return html`<fieldset>
    <legend>${label}</legend>
    ${description && html`<p class="hint">${description}</p>`}
    ${rows.map(
      (row, index) =>
        html`<fieldset key=${index}>
          <legend>${label}: ${index + 1}</legend>
          <${SchemaForm}
            schema=${items}
            typed=${row}
            onChange=${(changed: Typed) => onChange(textOfRows(rows.map((one, place) => (place === index ? changed : one))))}
            errors=${errors
              .filter(({ pointer }) => pointer.startsWith(`${below(index)}/`))
              .map((fault) => ({ ...fault, pointer: `#${fault.pointer.slice(below(index).length)}` }))}
            kept=${kept
              .filter((pointer) => `#${pointer}`.startsWith(`${below(index)}/`))
              .map((pointer) => pointer.slice(below(index).length - 1))}
          />
          <button
            class="button button-quiet"
            type="button"
            onClick=${() => onChange(textOfRows(rows.filter((_, place) => place !== index)))}
          >
            Remove<span class="hidden"> ${label}: ${index + 1}</span>
          </button>
        </fieldset>`,
    )}
    <p>
      <button
        class="button button-quiet"
        type="button"
        onClick=${() => onChange(textOfRows([...rows, typedOf(items)]))}
      >
        Add<span class="hidden"> to ${label}</span>
      </button>
    </p>
    ${own && html`<p class="error" role="alert">${own}</p>`}
  </fieldset>`;
}

interface PropertyProps {
  readonly name: string;
  readonly property: FormSchema;
  readonly required: boolean;
  readonly error: string | undefined;
  readonly value: string | boolean;
  /** It is a secret that is set. */
  readonly kept: boolean;
  readonly onChange: (value: string | boolean) => void;
}

function PropertyField({ name, property, required, error, value, kept, onChange }: PropertyProps) {
  const label = labelOf(name, property);
  const kind = kindOf(property);
  const common = { label, hint: hintOf(property, kept), error, required, onChange };
  const guide = kind === 'map' ? '' : textOf(property, property.default ?? property.examples?.[0]);
  if (kind === 'yes')
    return html`<${CheckField} ...${common} value=${value === '' ? guide === true : value === true} />`;
  const text = String(value);
  if (kind === 'map') return html`<${MapField} ...${common} value=${text} secret=${secretMap(property)} />`;
  if (kind === 'choice') {
    const options = (property.enum ?? []).map((one) => [String(one), String(one)]);
    const none = ['', property.default === undefined ? '–' : `– (${String(guide)})`];
    const all = required && text !== '' ? options : [none, ...options];
    return html`<${SelectField} ...${common} value=${text} options=${all} />`;
  }
  const lines = { lines: 4, list: 3, json: 5 } as Partial<Record<Kind, number>>;
  return html`<${TextField}
    ...${common}
    value=${text}
    lines=${lines[kind]}
    code=${kind === 'json'}
    masked=${property.secret}
    placeholder=${guide === '' || kind === 'json' ? undefined : String(guide)}
    type=${inputType(kind, property)}
  />`;
}

function hintOf(property: FormSchema, kept: boolean): string | undefined {
  const hints: Partial<Record<Kind, string>> = { list: 'One per line.', json: 'As JSON.' };
  const secrecy = kept ? 'It is set, and is not shown: enter it again.' : 'A secret: it is not shown again.';
  const own = property.secret || secretMap(property) ? secrecy : undefined;
  const parts = [property.description, hints[kindOf(property)], own].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return parts.map((part, at) => (at === parts.length - 1 || /[.!?]$/.test(part) ? part : `${part}.`)).join(' ');
}

const secretMap = ({ additionalProperties: rest }: FormSchema): boolean =>
  typeof rest === 'object' && rest.secret === true;

const formats: Readonly<Record<string, string>> = { email: 'email', uri: 'url' };

function inputType(kind: Kind, { format = '', secret }: FormSchema): string {
  if (secret) return 'password';
  return kind === 'number' ? 'number' : (formats[format] ?? 'text');
}

const labelOf = (name: string, { title }: FormSchema): string => title ?? name;

function errorAt(errors: readonly FieldFault[], pointer: string): string | undefined {
  const found = errors.filter(({ pointer: at }) => at.endsWith(pointer) || at.includes(`${pointer}/`));
  return found.length === 0 ? undefined : found.map(({ detail }) => detail).join('; ');
}
