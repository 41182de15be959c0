import { useRef } from 'preact/hooks';
import { curlOf, type Call } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { useCopy } from './copy.ts';

/** Shows a text to be copied. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = useRef<HTMLElement>(null);
  // The reader can copy what is selected.
  const select = (): void => {
    if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
  };
  const { state, copy } = useCopy(text, select);
  const word = state === undefined ? 'Copy' : state === 'copied' ? 'Copied' : 'Selected';
  return html`<div class="code-block">
    <pre tabindex="0" role="region" aria-label=${label}><code ref=${shown}>${text}</code></pre>
    <button class="button button-quiet copy" type="button" aria-live="polite" onClick=${copy}>
      ${word}<span class="hidden"> ${label}</span>
    </button>
  </div>`;
}

/** Shows the call of the API behind an act, and as a command of a shell. */
export function ApiCall({ call, open = false }: { readonly call: Call; readonly open?: boolean }) {
  return html`<details class="api-call" open=${open}>
    <summary>API call <code>${call.method ?? 'GET'} ${call.path.split('?')[0]}</code></summary>
    <${Code} text=${curlOf(call)} label="request with curl" />
  </details>`;
}

/** Shows a value as JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return html`<${Code} text=${JSON.stringify(value, null, 2)} label=${label} />`;
}
