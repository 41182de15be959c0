import { html } from '../../frame/html.ts';
import { CheckField, TextField } from '../../parts/field.ts';
import { components } from './words.ts';
import type { Subject } from '../../frame/wire.ts';

/** What is typed of subjects: the components ticked, and lines such as `orb demo.echo@1.0.0`. */
export interface TypedSubjects {
  readonly ticked: readonly string[];
  readonly lines: string;
}

/** Fields for the subjects of an incident or a window. */
export function SubjectFields({
  typed,
  onChange,
}: {
  readonly typed: TypedSubjects;
  readonly onChange: (typed: TypedSubjects) => void;
}) {
  const { ticked, lines } = typed;
  const tick = (id: string, on: boolean): void =>
    onChange({ ticked: on ? [...ticked, id] : ticked.filter((one) => one !== id), lines });
  return html`<fieldset>
    <legend>Affects</legend>
    <div class="stack fields">
      ${components.map(
        ([id, name]) =>
          html`<${CheckField}
            key=${id}
            label=${name}
            value=${ticked.includes(id)}
            onChange=${(on: boolean) => tick(id, on)}
          />`,
      )}
      <${TextField}
        label="Orbs and providers"
        hint="One per line: orb <id>, or provider <name>."
        value=${lines}
        onChange=${(text: string) => onChange({ ticked, lines: text })}
        lines=${2}
        required=${false}
        error=${faultOf(typed)}
        code
      />
    </div>
  </fieldset>`;
}

const written = ({ lines }: TypedSubjects): readonly string[] => lines.split('\n').filter((line) => line.trim() !== '');
const shape = /^\s*(orb|provider)\s+(\S+)\s*$/;

function faultOf(typed: TypedSubjects): string | undefined {
  const wrong = written(typed).find((line) => !shape.test(line));
  return wrong === undefined ? undefined : `“${wrong.trim()}” is neither “orb <id>” nor “provider <name>”.`;
}

/** Says what is missing in the fields. */
export function missingOf(typed: TypedSubjects): string | undefined {
  if (faultOf(typed) !== undefined) return 'Correct the list of Orbs and providers.';
  return subjectsOf(typed).length === 0 ? 'Choose at least one affected component, Orb or provider.' : undefined;
}

/** Makes the subjects of what is typed. */
export function subjectsOf(typed: TypedSubjects): readonly Subject[] {
  const others = written(typed).flatMap((line): readonly Subject[] => {
    const [, kind, id = ''] = shape.exec(line) ?? [];
    return kind === 'orb' || kind === 'provider' ? [{ kind, id }] : [];
  });
  return [...typed.ticked.map((id): Subject => ({ kind: 'component', id })), ...others];
}

/** Makes what is typed of subjects that are known. */
export function typedOf(scope: readonly Subject[]): TypedSubjects {
  return {
    ticked: scope.filter(({ kind }) => kind === 'component').map(({ id }) => id),
    lines: scope
      .filter(({ kind }) => kind !== 'component')
      .map(({ kind, id }) => `${kind} ${id}`)
      .join('\n'),
  };
}
