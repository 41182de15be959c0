import type { ComponentChildren } from 'preact';
import { html } from '../frame/html.ts';
import { Code } from './code.ts';
import { Notice } from './notice.ts';

/** Values that are shown only once, by name, and what to do with them. */
export interface SecretsProps {
  readonly of: readonly (readonly [name: string, text: string | undefined])[];
  readonly children?: ComponentChildren;
}

/** Shows secrets that the server has only a hash of, or seals, to be copied now. */
export function Secrets({ of, children }: SecretsProps) {
  return html`<div class="stack">
    <${Notice} tone="warn">
      <p><strong>Copy this now.</strong> It is shown only once.</p>
    <//>
    ${of.map(
      ([name, text]) =>
        text !== undefined &&
        html`<div>
          <p class="small muted">${name}</p>
          <${Code} text=${text} label=${name.toLowerCase()} />
        </div>`,
    )}
    ${children}
  </div>`;
}
