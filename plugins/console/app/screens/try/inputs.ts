import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import type { FieldFault } from '../../frame/problem.ts';
import type { OrbManifest } from '../../frame/wire.ts';
import { CheckField, TextField } from '../../parts/field.ts';
import { isRecord, SchemaForm, valueOf, type FormSchema, type Typed } from '../../parts/form.ts';
import { fieldsOf } from './fields.ts';

/** The manifest of an Orb, as far as its form needs it. */
export interface Manifest extends Pick<OrbManifest, 'orb_id' | 'title' | 'description' | 'effect' | 'timeout_ms'> {
  readonly inputs_schema: FormSchema;
}

type Members = Readonly<Record<string, unknown>>;

/** The inputs as typed, by fields or as JSON. */
export interface Inputs {
  readonly value: object;
  readonly faults: readonly FieldFault[];
  readonly shown: ShownInputs;
  /** Replaces all that is typed. */
  fill(inputs: Members): void;
}

interface Shown {
  readonly typed: Typed;
  /** The text of the one field for all inputs; undefined: each has its own. */
  readonly json: string | undefined;
}

interface ShownInputs extends Shown {
  readonly schema: FormSchema;
  readonly show: (shown: Shown) => void;
}

// Whether fields can be made of a schema; else its inputs are typed as JSON.
const hasFields = ({ type, properties }: FormSchema): boolean => type === 'object' && properties !== undefined;

function startOf(schema: FormSchema, inputs: Members | undefined): Shown {
  if (inputs === undefined) return { typed: {}, json: hasFields(schema) ? undefined : '{}' };
  const typed = hasFields(schema) ? fieldsOf(schema, inputs) : undefined;
  return typed === undefined ? { typed: {}, json: textOf(inputs) } : { typed, json: undefined };
}

const textOf = (inputs: object): string => JSON.stringify(inputs, null, 2);

/** Holds the inputs of a run while they are typed; `saved`: what they begin with. */
export function useInputs(schema: FormSchema, saved?: Members): Inputs {
  const [shown, show] = useState(() => startOf(schema, saved));
  const { typed, json } = shown;
  return {
    ...(json === undefined ? valueOf(schema, typed) : readJson(json)),
    shown: { schema, typed, json, show },
    fill: (inputs) => show(startOf(schema, inputs)),
  };
}

function readJson(text: string): Pick<Inputs, 'value' | 'faults'> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { value, faults: [] };
  } catch {
    // Told below.
  }
  return { value: {}, faults: [{ pointer: '#', detail: 'is not a JSON object' }] };
}

/** How the fields are shown. */
export interface InputFieldsProps {
  readonly inputs: Inputs;
  readonly errors: readonly FieldFault[];
}

/** Shows a field for each input, or one for all as JSON. */
export function InputFields({ inputs, errors }: InputFieldsProps) {
  const { schema, typed, json, show } = inputs.shown;
  const asJson = (on: boolean): void =>
    show(
      on
        ? { typed, json: textOf(inputs.value) }
        : { typed: fieldsOf(schema, inputs.value as Members) ?? typed, json: undefined },
    );
  return html`<div class="stack">
    ${
      json === undefined
        ? html`<${SchemaForm}
            schema=${schema}
            typed=${typed}
            onChange=${(next: Typed) => show({ typed: next, json })}
            errors=${errors}
          />`
        : html`<${TextField}
            label="Inputs"
            hint="One JSON object."
            value=${json}
            onChange=${(next: string) => show({ typed, json: next })}
            lines=${8}
            code
            error=${errors.map(({ pointer, detail }) => `${pointer.replace(/^#\/inputs\/?/, '')} ${detail}`).join('; ') || undefined}
          />`
    }
    ${
      hasFields(schema) &&
      html`<${CheckField} label="Enter the inputs as JSON" value=${json !== undefined} onChange=${asJson} />`
    }
  </div>`;
}
