import { useRef } from 'preact/hooks';
import { Dialog } from '../parts/dialog.ts';
import { onSubmit } from '../frame/call.ts';
import { html } from '../frame/html.ts';
import { KeyInput } from './key-input.ts';

/** A request for the key, and the call that waits for it. */
export interface KeyQuestion {
  answer(key: string | undefined): void;
}

/** Asks for the key again for one action; it is passed on and not kept. */
export function AskKey({ question: { answer } }: { readonly question: KeyQuestion }) {
  const field = useRef<HTMLInputElement>(null);
  const submit = (): void => {
    const key = field.current?.value.trim() ?? '';
    if (field.current !== null) field.current.value = '';
    if (key !== '') answer(key);
  };
  return html`<${Dialog} title="Enter your key again" onClose=${() => answer(undefined)}>
    <form class="stack" onSubmit=${onSubmit(submit)}>
      <p>This action needs the API key itself, not only a session.</p>
      <${KeyInput} id="key-again" hint="It is sent with this one request and not stored." field=${field} />
      <div class="row end">
        <button class="button button-quiet" type="button" onClick=${() => answer(undefined)}>Cancel</button>
        <button class="button" type="submit">Continue</button>
      </div>
    </form>
  <//>`;
}
