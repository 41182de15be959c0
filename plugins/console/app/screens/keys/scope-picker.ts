import { useGet } from '../../frame/resource.ts';
import { html } from '../../frame/html.ts';
import { CheckField, TextField } from '../../parts/field.ts';
import { Loading, ProblemNote } from '../../parts/notice.ts';
import { groupsOf, presets } from './scope-groups.ts';
import type { ListedScope } from '../../frame/wire.ts';

/** What was picked: scopes, and the Orbs that a scope is narrowed to. */
export interface Picked {
  readonly scopes: ReadonlySet<string>;
  readonly narrowed: Readonly<Record<string, string>>;
}

/** How the picker is used. */
export interface ScopePickerProps {
  readonly picked: Picked;
  readonly onChange: (picked: Picked) => void;
}

/** Picks scopes, grouped by what they allow; only those that the reader's key may grant. */
export function ScopePicker({ picked, onChange }: ScopePickerProps) {
  const { value, problem, reload } = useGet<{ readonly scopes: readonly ListedScope[] }>('/keys/scopes');
  if (value === undefined)
    return problem ? html`<${ProblemNote} problem=${problem} retry=${reload} />` : html`<${Loading} />`;
  const may = value.scopes.filter(({ grantable }) => grantable);
  const missing = value.scopes.length - may.length;
  const all = may.find(({ scope }) => scope === '*');
  const pick = (scopes: Iterable<string>): void => onChange({ ...picked, scopes: new Set(scopes) });
  const turn = (scope: string, on: boolean): void =>
    pick(on ? [...picked.scopes, scope] : [...picked.scopes].filter((one) => one !== scope));
  return html`<div class="stack">
    <div class="row" role="group" aria-label="Start with">
      <span class="small muted">Start with</span>
      ${presets.map(({ name, picks }) => {
        const scopes = may.map(({ scope }) => scope).filter((scope) => scope !== '*' && picks(scope));
        return html`<button class="button button-quiet" type="button" onClick=${() => pick(scopes)}>${name}</button>`;
      })}
    </div>
    <div class="masonry">
      ${groupsOf(may).map(
        ({ title, scopes }) =>
          html`<fieldset key=${title}>
            <legend>${title}</legend>
            <div class="stack">
              ${scopes.map((one) => html`<${Pick} of=${one} picked=${picked} turn=${turn} onChange=${onChange} />`)}
            </div>
          </fieldset>`,
      )}
    </div>
    ${
      all &&
      html`<fieldset>
        <legend>Everything</legend>
        <${Pick} of=${all} picked=${picked} turn=${turn} onChange=${onChange} />
      </fieldset>`
    }
    ${missing > 0 && html`<p class="small muted">A key with more scopes can grant ${missing} others.</p>`}
  </div>`;
}

interface PickProps extends ScopePickerProps {
  readonly of: ListedScope;
  readonly turn: (scope: string, on: boolean) => void;
}

function Pick({ of: { scope, title, narrowable, installation }, picked, turn, onChange }: PickProps) {
  const on = picked.scopes.has(scope);
  const hint = (title.split('; may be narrowed')[0] ?? '').replaceAll('`', '');
  return html`<div>
    <${CheckField}
      label=${html`<code>${scope}</code> ${installation && scope !== '*' && html`<span class="chip">all tenants</span>`}`}
      hint=${hint}
      value=${on}
      onChange=${(value: boolean) => turn(scope, value)}
    />
    ${
      on &&
      narrowable &&
      html`<div class="under-check">
        <${TextField}
          label="Only these Orbs"
          hint="IDs or namespaces, separated by spaces: notify.* demo.echo@1.0.0. Leave empty for all."
          value=${picked.narrowed[scope] ?? ''}
          onChange=${(text: string) => onChange({ ...picked, narrowed: { ...picked.narrowed, [scope]: text } })}
          required=${false}
          code
        />
      </div>`
    }
  </div>`;
}
