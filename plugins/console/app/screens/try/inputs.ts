import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import type { FieldFault } from '../../frame/problem.ts';
import type { OrbManifest } from '../../frame/wire.ts';
import { CheckField, TextField } from '../../parts/field.ts';
import { SchemaForm, valueOf, type FormSchema, type Typed } from '../../parts/form.ts';

/** The manifest of an Orb, as far as its form needs it. */
export interface Manifest extends Pick<OrbManifest, 'orb_id' | 'title' | 'description' | 'effect'> {
  readonly inputs_schema: FormSchema;
}

/** The inputs as typed, by fields or as JSON. */
export interface Inputs {
  readonly value: object;
  readonly faults: readonly FieldFault[];
  readonly shown: ShownInputs;
}

interface ShownInputs {
  readonly schema: FormSchema;
  readonly typed: Typed;
  readonly setTyped: (typed: Typed) => void;
  readonly json: string | undefined;
  readonly setJson: (json: string | undefined) => void;
}

// Whether fields can be made of a schema; else its inputs are typed as JSON.
const hasFields = ({ type, properties }: FormSchema): boolean => type === 'object' && properties !== undefined;

/** Holds the inputs of a run while they are typed. */
export function useInputs(schema: FormSchema): Inputs {
  const [typed, setTyped] = useState<Typed>({});
  const [json, setJson] = useState<string | undefined>(hasFields(schema) ? undefined : '{}');
  const shown = { schema, typed, setTyped, json, setJson };
  return { ...(json === undefined ? valueOf(schema, typed) : readJson(json)), shown };
}

function readJson(text: string): Pick<Inputs, 'value' | 'faults'> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value, faults: [] };
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
  const { schema, typed, setTyped, json, setJson } = inputs.shown;
  const fields = hasFields(schema);
  return html`<div class="stack">
    ${
      json === undefined
        ? html`<${SchemaForm} schema=${schema} typed=${typed} onChange=${setTyped} errors=${errors} />`
        : html`<${TextField}
            label="Inputs"
            hint="One JSON object."
            value=${json}
            onChange=${setJson}
            lines=${8}
            code
            error=${errors.map(({ pointer, detail }) => `${pointer.replace(/^#\/inputs\/?/, '')} ${detail}`).join('; ') || undefined}
          />`
    }
    ${
      fields &&
      html`<${CheckField}
        label="Enter the inputs as JSON"
        value=${json !== undefined}
        onChange=${(on: boolean) => setJson(on ? JSON.stringify(inputs.value, null, 2) : undefined)}
      />`
    }
  </div>`;
}
