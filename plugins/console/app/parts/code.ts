import { useRef, useState } from 'preact/hooks';
import { curlOf, type Call } from '../frame/api.ts';
import { html } from '../frame/html.ts';

/** Shows a text to be copied. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const [word, setWord] = useState('Copy');
  const shown = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setWord('Copied');
    } catch {
      // The browser does not let pages copy: the reader can.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      setWord('Selected');
    }
    setTimeout(() => setWord('Copy'), 2000);
  };
  return html`<div class="code-block">
    <pre tabindex="0" role="region" aria-label=${label}><code ref=${shown}>${text}</code></pre>
    <button class="button button-quiet copy" type="button" aria-live="polite" onClick=${() => void copy()}>
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
