import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { html } from '../frame/html.ts';

/** Sheets with their names; one of them is shown. */
export interface TabsProps {
  /** Name of the group for screen readers. */
  readonly label: string;
  readonly of: readonly (readonly [name: string, sheet: ComponentChildren])[];
}

/** Shows one sheet of several; arrow keys, Home and End choose another one. */
export function Tabs({ label, of }: TabsProps) {
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const last = of.length - 1;
    const places: Readonly<Record<string, number>> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = places[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return html`<div class="stack">
    <div class="tab-list" role="tablist" aria-label=${label} ref=${list} onKeyDown=${move}>
      ${of.map(
        ([name], place) =>
          html`<button
            type="button"
            role="tab"
            id=${`${id}-${place}`}
            aria-controls=${`${id}-sheet`}
            aria-selected=${place === at ? 'true' : 'false'}
            tabindex=${place === at ? 0 : -1}
            onClick=${() => setAt(place)}
          >
            ${name}
          </button>`,
      )}
    </div>
    <div class="stack" role="tabpanel" id=${`${id}-sheet`} aria-labelledby=${`${id}-${at}`} key=${at}>
      ${of[at]?.[1]}
    </div>
  </div>`;
}
