import { useId } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { readPairs, textOfPairs, type Pair } from './pairs.ts';

/** A field of names with a text each. */
export interface MapFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** As `textOfPairs` writes it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The texts are secrets, typed unseen. */
  readonly secret?: boolean;
}

/** Shows a row for each name, and a button for one more. */
export function MapField({ label, hint, error, required, value, onChange, secret = false }: MapFieldProps) {
  const id = useId();
  const pairs = readPairs(value);
  const rows: readonly Pair[] = pairs.length === 0 ? [['', '']] : pairs;
  const put = (at: number, pair: Pair): void =>
    onChange(textOfPairs(rows.map((one, index) => (index === at ? pair : one))));
  const typed = (event: Event): string => (event.currentTarget as HTMLInputElement).value;
  const common = { autocomplete: 'off', spellcheck: false, 'aria-invalid': error === undefined ? undefined : 'true' };
  return html`<fieldset aria-describedby=${hint && `${id}-hint`}>
    <legend>${label}${!required && html`<span class="optional"> optional</span>`}</legend>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${rows.map(
      ([name, text], at) =>
        html`<div class="map-row" key=${at}>
          <input
            ...${common}
            aria-label=${`${label}: name ${at + 1}`}
            value=${name}
            onInput=${(event: Event) => put(at, [typed(event), text])}
          />
          <input
            ...${common}
            aria-label=${`${label}: value ${at + 1}`}
            type=${secret ? 'password' : 'text'}
            value=${text}
            onInput=${(event: Event) => put(at, [name, typed(event)])}
          />
          <button
            class="button button-quiet icon"
            type="button"
            aria-label=${`Remove row ${at + 1} of ${label}`}
            onClick=${() => onChange(textOfPairs(rows.filter((_, index) => index !== at)))}
          >
            ×
          </button>
        </div>`,
    )}
    <p>
      <button class="button button-quiet" type="button" onClick=${() => onChange(textOfPairs([...rows, ['', '']]))}>
        Add a row
      </button>
    </p>
    ${error && html`<p class="error">${error}</p>`}
  </fieldset>`;
}
