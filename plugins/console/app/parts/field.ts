import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { html } from '../frame/html.ts';

/** What all fields have. */
export interface FieldProps {
  readonly label: string;
  /** What belongs in it. */
  readonly hint?: string | undefined;
  /** What is wrong with it, and how to fix it. */
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** In a form with only optional fields, no field is marked as optional. */
  readonly plain?: boolean;
}

/** The attributes that tie a control to its label, hint and error. */
export interface ControlProps {
  readonly id: string;
  readonly required: boolean;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
}

/** Shows a label with its control, which `children` makes. */
export function Field({
  label,
  hint,
  error,
  required = false,
  plain = false,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}>${label}${!required && !plain && html`<span class="optional"> optional</span>`}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${children({
      id,
      required,
      'aria-describedby': described === '' ? undefined : described,
      'aria-invalid': error === undefined ? undefined : 'true',
    })}
    ${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}
  </div>`;
}

/** A field of text. */
export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Of the control; `lines`: several lines. */
  readonly type?: string;
  readonly lines?: number;
  /** Set in the type of code: ids, JSON. */
  readonly code?: boolean;
  /** Several lines of a secret are typed unseen. */
  readonly masked?: boolean | undefined;
  readonly placeholder?: string | undefined;
  /** Suggestions. */
  readonly options?: readonly string[];
}

/** Shows a field of one or several lines. It is required unless `required` is false. */
export function TextField(props: TextFieldProps) {
  const { value, onChange, type = 'text', lines, code = false, masked, placeholder, options, required = true } = props;
  const list = useId();
  const typed = (event: Event): void => onChange((event.currentTarget as HTMLInputElement).value);
  const common = {
    class: masked ? 'masked' : code ? 'mono' : '',
    placeholder,
    value,
    onInput: typed,
    autocomplete: 'off',
    spellcheck: !code && !masked,
  };
  return html`<${Field} ...${props} required=${required}>
    ${(control: ControlProps) =>
      lines === undefined
        ? html`<input ...${control} ...${common} type=${type} list=${options ? list : undefined} />
            ${options && html`<datalist id=${list}>${options.map((one) => html`<option value=${one} />`)}</datalist>`}`
        : html`<textarea ...${control} ...${common} rows=${lines} />`}
  <//>`;
}

/** A field of text by its name, often the member of a body that it fills. */
export interface NamedField extends Omit<TextFieldProps, 'value' | 'onChange'> {
  readonly name: string;
}

/** Texts by the names of their fields. */
export type Texts = Readonly<Record<string, string>>;

/** Fields of text, and what is typed in them. */
export interface TextFieldsProps {
  readonly of: readonly NamedField[];
  readonly typed: Texts;
  readonly onChange: (typed: Texts) => void;
}

/** Shows fields of text, one below the other. */
export function TextFields({ of, typed, onChange }: TextFieldsProps) {
  return of.map(({ name, ...field }) => {
    const change = (text: string): void => onChange({ ...typed, [name]: text });
    return html`<${TextField} key=${name} ...${field} value=${typed[name] ?? ''} onChange=${change} />`;
  });
}

/** A choice of one value out of few. */
export interface SelectFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Values with what they are called. */
  readonly options: readonly (readonly [value: string, name: string])[];
}

/** Shows a choice of one value. It is required unless `required` is false. */
export function SelectField(props: SelectFieldProps) {
  const { value, onChange, options, required = true } = props;
  const chosen = (event: Event): void => onChange((event.currentTarget as HTMLSelectElement).value);
  return html`<${Field} ...${props} required=${required}>
    ${(control: ControlProps) =>
      html`<select ...${control} value=${value} onChange=${chosen}>
        ${options.map(([one, name]) => html`<option value=${one} selected=${one === value}>${name}</option>`)}
      </select>`}
  <//>`;
}

/** A choice of yes or no. */
export interface CheckFieldProps {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

/** Shows a box to tick. */
export function CheckField({ label, hint, value, onChange }: CheckFieldProps) {
  const id = useId();
  const ticked = (event: Event): void => onChange((event.currentTarget as HTMLInputElement).checked);
  return html`<div class="check-field">
    <input
      id=${id}
      type="checkbox"
      checked=${value}
      onChange=${ticked}
      aria-describedby=${hint ? `${id}-hint` : undefined}
    />
    <label for=${id}>${label}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}
