import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { filled, type Call } from '../frame/api.ts';
import { announce } from '../frame/announce.ts';
import { onSubmit, useCall } from '../frame/call.ts';
import { html } from '../frame/html.ts';
import type { ApiProblem } from '../frame/problem.ts';
import { ApiCall } from './code.ts';
import { Dialog } from './dialog.ts';
import { TextField, TextFields, type NamedField, type Texts } from './field.ts';
import { ProblemNote } from './notice.ts';

/** The action on one thing, and what is called after it. */
export interface ActOn<T> {
  readonly of: T;
  readonly onDone: () => void;
}

/** An action on the platform: a button, and a dialog that explains the action before it runs. */
export interface ActProps<T> {
  /** On the button that opens the dialog. */
  readonly label: string;
  /** Of the dialog; the label unless given. */
  readonly title?: string;
  /** What the action does and whether it can be undone. */
  readonly says: ComponentChildren;
  readonly call: Call;
  /** The user must type this word, because the action cannot be undone or affects others. */
  readonly word?: string;
  readonly danger?: boolean;
  /** Whether the button is the main action and is highlighted. */
  readonly main?: boolean;
  /** What is missing in the fields; until then the button is disabled. */
  readonly missing?: string | undefined;
  /** Texts of the body of the call: those that are not empty are sent. */
  readonly fields?: readonly NamedField[];
  /** Other fields. */
  readonly children?: ComponentChildren;
  /** Called after it is done; the dialog closes. */
  readonly onDone: (answer: T) => void;
  /** Called when it was not done, or the outcome is unknown; the dialog stays, and shows why. */
  readonly onProblem?: (problem: ApiProblem) => void;
  /** What readers of screen readers hear after it. */
  readonly done?: string;
}

/** Shows a button that does an act after it was explained, with the call of the API that it makes. */
export function Act<T>(props: ActProps<T>) {
  const { label, danger = false, main = false, call, fields = [], missing, children } = props;
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<Texts>({});
  const empty = fields.find(({ name, required = true }) => required && (typed[name] ?? '').trim() === '');
  const filledIn = {
    call: fields.length === 0 ? call : { ...call, body: { ...(call.body as object), ...filled(typed) } },
    missing: empty === undefined ? missing : `Enter a ${empty.label.toLowerCase()}.`,
    children: [children, html`<${TextFields} of=${fields} typed=${typed} onChange=${setTyped} />`],
  };
  const look = main ? 'button' : `button button-quiet${danger ? ' button-danger' : ''}`;
  return html`<button class=${look} type="button" onClick=${() => setOpen(true)}>${label}</button>
    ${open && html`<${ActDialog} ...${props} ...${filledIn} onClose=${() => setOpen(false)} />`}`;
}

/** The dialog of an act alone, for screens that open it by themselves. */
export function ActDialog<T>(props: ActProps<T> & { readonly onClose: () => void }) {
  const { label, title = label, says, call, word, danger = false, missing, children, done, onClose } = props;
  const [typed, setTyped] = useState('');
  const { busy, problem, send } = useCall();
  const waits = (word !== undefined && typed.trim() !== word) || missing !== undefined;
  const finish = (answer: T): void => {
    announce(done ?? `${title}: done`);
    onClose();
    props.onDone(answer);
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form class="stack" onSubmit=${onSubmit(() => waits || send(call, finish, props.onProblem))}>
      <div class="says">${says}</div>
      ${children}
      ${
        word !== undefined &&
        html`<${TextField} label=${`Type “${word}” to confirm`} value=${typed} onChange=${setTyped} code />`
      }
      <${ProblemNote} problem=${problem} />
      <${ApiCall} call=${call} />
      ${missing !== undefined && html`<p class="small muted">${missing}</p>`}
      <div class="row end">
        <button class="button button-quiet" type="button" onClick=${onClose}>Cancel</button>
        <button class=${danger ? 'button button-bad' : 'button'} type="submit" disabled=${busy || waits}>
          ${busy ? 'Working…' : label}
        </button>
      </div>
    </form>
  <//>`;
}
