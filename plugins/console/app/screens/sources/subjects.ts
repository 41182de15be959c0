import { html } from '../../frame/html.ts';
import { TextField } from '../../parts/field.ts';
import { components } from '../incidents/words.ts';
import type { Source } from '../../frame/wire.ts';

/** The subjects as they are typed: names with spaces between. */
export type TypedSubjects = Readonly<Record<keyof Source['may_name'], string>>;

/** Nothing may be named. */
export const noSubjects: TypedSubjects = { orbs: '', providers: '', components: '' };

const fields = [
  ['components', 'Components', `Components of the status page: ${components.map(([name]) => name).join(', ')}.`],
  ['providers', 'Providers', 'Provider names in platform.json.'],
  ['orbs', 'Orbs', 'IDs, or namespaces such as notify.*.'],
] as const;

/** Writes subjects as they are typed. */
export const typedOf = ({ orbs = [], providers = [], components = [] }: Source['may_name']): TypedSubjects => ({
  orbs: orbs.join(' '),
  providers: providers.join(' '),
  components: components.join(' '),
});

/** Reads what was typed. */
export function subjectsOf(typed: TypedSubjects): Source['may_name'] {
  const named = fields.map(([name]) => [name, typed[name].split(/[\s,]+/).filter((one) => one !== '')] as const);
  return Object.fromEntries(named.filter(([, names]) => names.length > 0));
}

/** How the fields are shown. */
export interface SubjectFieldsProps {
  readonly typed: TypedSubjects;
  readonly onChange: (typed: TypedSubjects) => void;
}

/** Fields for what the alerts of a source may concern. */
export function SubjectFields({ typed, onChange }: SubjectFieldsProps) {
  return fields.map(
    ([name, label, hint]) =>
      html`<${TextField}
        key=${name}
        label=${label}
        hint=${hint}
        value=${typed[name]}
        onChange=${(text: string) => onChange({ ...typed, [name]: text })}
        required=${false}
        code
      />`,
  );
}
