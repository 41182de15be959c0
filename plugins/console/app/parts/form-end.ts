import type { Call } from '../frame/api.ts';
import type { Calling } from '../frame/call.ts';
import { html } from '../frame/html.ts';
import { hrefOf } from '../frame/router.ts';
import { ApiCall } from './code.ts';
import { ProblemNote } from './notice.ts';

/** The end of a form that is a screen of its own. */
export interface FormEndProps {
  /** The call of the form, and what is missing in its fields. */
  readonly of: Calling & { readonly call: Call; readonly missing: string | undefined };
  /** The screen that Cancel leads to. */
  readonly back: string;
  /** On the button that sends it; `busy`: while it is sent. */
  readonly label: string;
  readonly busy?: string;
}

/** Shows why a form was refused, its call, and its buttons. */
export function FormEnd({ of: { call, missing, problem, busy }, back, label, busy: working = label }: FormEndProps) {
  return html`<${ProblemNote} problem=${problem} />
    <${ApiCall} call=${call} />
    <div class="row end">
      ${missing !== undefined && html`<p class="small muted">${missing}</p>`}
      <a class="button button-quiet" href=${hrefOf(back)}>Cancel</a>
      <button class="button" type="submit" disabled=${busy || missing !== undefined}>${busy ? working : label}</button>
    </div>`;
}
