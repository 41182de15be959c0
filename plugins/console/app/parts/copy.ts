import { useState } from 'preact/hooks';
import { announce } from '../frame/announce.ts';
import { html } from '../frame/html.ts';

const shownMs = 2000;

/**
 * Copies a text; the state says what became of it for two seconds. `failed` is called where the browser does not let
 * pages copy.
 */
export function useCopy(
  text: string,
  failed: () => void = () => announce('The browser did not copy it'),
): { readonly state: 'copied' | 'failed' | undefined; readonly copy: () => void } {
  const [state, setState] = useState<'copied' | 'failed'>();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      announce('Copied');
      setState('copied');
    } catch {
      failed();
      setState('failed');
    }
    setTimeout(() => setState(undefined), shownMs);
  };
  return { state, copy: () => void copy() };
}

/** What is copied. */
export interface CopyProps {
  readonly text: string;
  /** What it is, on the button; without it the button is a sign alone, with the text as its name. */
  readonly label?: string;
}

/** Shows a button that copies a text. */
export function Copy({ text, label }: CopyProps) {
  const { state, copy } = useCopy(text);
  if (label === undefined) {
    const name = `Copy ${text}`;
    return html`<button class="copy-sign" type="button" aria-label=${name} data-state=${state} onClick=${copy} />`;
  }
  return html`<button class="button button-quiet" type="button" onClick=${copy}>
    ${state === undefined ? label : state === 'copied' ? 'Copied' : 'Not copied'}
  </button>`;
}
