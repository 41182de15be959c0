import { html } from '../../frame/html.ts';
import { TextFields, type TextFieldsProps } from '../../parts/field.ts';
import { components } from '../incidents/words.ts';
import type { Source } from '../../frame/wire.ts';

// The subjects as they are typed: names with spaces between.
type TypedSubjects = Readonly<Record<keyof Source['may_name'], string>>;

const common = { required: false, code: true };
const known = `Components of the status page: ${components.map(([name]) => name).join(', ')}.`;
const fields = [
  { ...common, name: 'components', label: 'Components', hint: known },
  { ...common, name: 'providers', label: 'Providers', hint: 'Provider names in platform.json.' },
  { ...common, name: 'orbs', label: 'Orbs', hint: 'IDs, or namespaces such as notify.*.' },
] as const;

/** Writes subjects as they are typed. */
export const typedOf = ({ orbs = [], providers = [], components = [] }: Source['may_name']): TypedSubjects => ({
  orbs: orbs.join(' '),
  providers: providers.join(' '),
  components: components.join(' '),
});

/** Reads what was typed. */
export function subjectsOf(typed: TypedSubjects): Source['may_name'] {
  const named = fields.map(({ name }) => [name, typed[name].split(/[\s,]+/).filter((one) => one !== '')] as const);
  return Object.fromEntries(named.filter(([, names]) => names.length > 0));
}

/** Fields for what the alerts of a source may concern. */
export function SubjectFields(props: Omit<TextFieldsProps, 'of'>) {
  return html`<${TextFields} of=${fields} ...${props} />`;
}
