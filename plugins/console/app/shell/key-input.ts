import type { RefObject } from 'preact';
import { html } from '../frame/html.ts';

/** The field of an API key. */
export interface KeyInputProps {
  readonly id: string;
  readonly hint: string;
  /** The key is read from the field, so that no state holds it. */
  readonly field: RefObject<HTMLInputElement>;
}

/** Shows the field of an API key, which the browser does not store. */
export function KeyInput({ id, hint, field }: KeyInputProps) {
  return html`<div class="field">
    <label for=${id}>API key</label>
    <p class="hint" id=${`${id}-hint`}>${hint}</p>
    <input
      ref=${field}
      id=${id}
      class="mono"
      type="password"
      autocomplete="off"
      spellcheck="false"
      required
      aria-describedby=${`${id}-hint`}
    />
  </div>`;
}
