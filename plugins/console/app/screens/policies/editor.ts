import { useRef } from 'preact/hooks';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { ApiCall } from '../../parts/code.ts';
import { TextField } from '../../parts/field.ts';
import { Notice, ProblemNote } from '../../parts/notice.ts';
import { CodeEditor, showLine } from './code-editor.ts';
import { Diagnostics } from './diagnostics.ts';
import { useEditing, type Editing, type EditingProps } from './edit.ts';
import type { Diagnostic } from '../../frame/wire.ts';

/** Edits the draft of a policy; saving checks it with all other files and activates nothing. */
export function Editor(props: EditingProps & { readonly mayWrite: boolean }) {
  const { id, mayWrite } = props;
  const editing = useEditing(props);
  const { typed, overtaken, found, problem, type } = editing;
  const source = useRef<HTMLTextAreaElement>(null);
  const tests = useRef<HTMLTextAreaElement>(null);
  const fieldOf = (file = ''): typeof source | undefined => {
    const name = file.replaceAll('/', '.');
    return name === `${id}.rego` ? source : name === `${id}_test.rego` ? tests : undefined;
  };
  const marked = (field: typeof source): ReadonlySet<number> =>
    new Set(found.filter(({ file }) => fieldOf(file) === field).map(({ line = 1 }) => line));
  const placeOf = ({ file, line = 1 }: Diagnostic): (() => void) | undefined => {
    const field = fieldOf(file);
    return field && (() => showLine(field.current, line));
  };
  return html`<form class="stack" onSubmit=${onSubmit(editing.save)}>
    <${ProblemNote} problem=${problem} />
    ${mayWrite && overtaken && html`<${Overtaken} editing=${editing} />`}
    <${Diagnostics} of=${found} placeOf=${placeOf} />
    <${CodeEditor}
      label="Rego"
      value=${typed.source}
      onChange=${(text: string) => type({ source: text })}
      field=${source}
      marked=${marked(source)}
      readOnly=${!mayWrite}
    />
    <${CodeEditor}
      label="Tests"
      hint="They must pass before the policy can be activated."
      value=${typed.tests}
      onChange=${(text: string) => type({ tests: text })}
      field=${tests}
      marked=${marked(tests)}
      readOnly=${!mayWrite}
    />
    ${mayWrite && html`<${Acts} editing=${editing} />`}
  </form>`;
}

function Overtaken({ editing: { undo, keep } }: { readonly editing: Editing }) {
  return html`<${Notice} tone="warn">
    <p><strong>The stored draft has changed since you opened it</strong></p>
    <p>
      Another user or window saved, activated or deleted it. Your changes are not saved. If you keep them and save, they
      replace the stored draft.
    </p>
    <div class="row">
      <button class="button button-quiet" type="button" onClick=${undo}>Use the stored draft</button>
      <button class="button button-quiet" type="button" onClick=${keep}>Keep my changes</button>
    </div>
  <//>`;
}

function Acts({ editing }: { readonly editing: Editing }) {
  const { typed, changed, state, call, type, undo, format } = editing;
  return html`<${TextField}
      label="Reason"
      hint="Shown in the list of revisions."
      value=${typed.message}
      onChange=${(message: string) => type({ message })}
      required=${false}
    />
    <div class="row">
      <button class="button" type="submit" disabled=${state === 'busy' || typed.source === ''}>
        ${state === 'busy' ? 'Checking…' : 'Check and save draft'}
      </button>
      <button class="button button-quiet" type="button" onClick=${() => void format()}>Format</button>
      ${changed && html`<button class="link" type="button" onClick=${undo}>Discard my changes</button>`}
      <span class="small muted">${changed && 'Not saved yet'}</span>
    </div>
    ${
      state === 'saved' &&
      html`<${Notice} tone="good">
        <p>
          The draft is saved. It is not active yet.${' '}<a href=${hrefOf('/policies/-/drafts')}>Review and activate</a>
        </p>
      <//>`
    }
    <${ApiCall} call=${call} />`;
}
