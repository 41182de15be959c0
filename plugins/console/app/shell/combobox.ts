import type { RefObject } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { onSubmit } from '../frame/call.ts';
import { html } from '../frame/html.ts';
import type { Finding, Findings } from './finder.ts';

/** A field whose findings are shown below it while the reader types. */
export interface ComboboxProps {
  readonly id: string;
  readonly label: string;
  /** What can be typed. */
  readonly hint: string;
  readonly field: RefObject<HTMLInputElement>;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly findings: Findings;
  /** The findings are a part of the page, not a list that opens. */
  readonly always?: boolean;
  /** Called before one is opened. */
  readonly onDone: () => void;
}

/**
 * Shows a field with a list of findings (a combobox of the ARIA Authoring Practices Guide): the focus stays in the
 * field, arrows choose, Enter opens the chosen or the first one, Escape closes the list.
 */
export function Combobox(props: ComboboxProps) {
  const { id, label, hint, field, text, findings, always = false } = props;
  const list = useId();
  const { at, shown, open, take, pressed, typed, submit, close } = useChoice(props);
  return html`<form class="finder" role="search" aria-label=${label} onSubmit=${onSubmit(submit)}>
    <label class="hidden" for=${id}>${label}</label>
    <input
      ref=${field}
      id=${id}
      type="search"
      role="combobox"
      aria-expanded=${open ? 'true' : 'false'}
      aria-controls=${list}
      aria-autocomplete="list"
      aria-activedescendant=${open && at >= 0 ? `${list}-${at}` : undefined}
      placeholder=${hint}
      autocomplete="off"
      spellcheck="false"
      enterkeyhint="go"
      value=${text}
      onInput=${typed}
      onKeyDown=${pressed}
      onBlur=${close}
    />
    <${List} ...${{ list, open, at, findings: findings.all, take, always }} />
    ${
      shown &&
      !open &&
      findings.settled &&
      html`<p class=${classOf(always)} role="status">Nothing has this name. Try another word, or paste an id.</p>`
    }
  </form>`;
}

function useChoice({ text, onText, findings: { all, settled }, always = false, onDone }: ComboboxProps) {
  // Both belong to the text that they were made for.
  const [choice, setChoice] = useState<{ readonly of: string; readonly at: number }>();
  const [entered, setEntered] = useState<string>();
  const [closed, setClosed] = useState(true);
  const chosen = choice?.of === text ? choice.at : undefined;
  const at = Math.min(chosen ?? (always ? 0 : -1), all.length - 1);
  const take = (found: Finding | undefined): void => {
    if (found === undefined) return;
    setClosed(true);
    onDone();
    found.open();
  };
  // Enter before the answer is there opens the first of what it finds, so that no race decides.
  useEffect(() => {
    if (entered === text && settled) take(all[0]);
  }, [entered, text, settled]);
  const shown = always || (!closed && text.trim() !== '');
  const open = shown && all.length > 0;
  const pressed = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const closes = event.key === 'Escape' && open && !always;
    if (closes) setClosed(true);
    if (step !== undefined && all.length > 0) {
      setClosed(false);
      setChoice({ of: text, at: at === -1 && step === -1 ? all.length - 1 : (at + step + all.length) % all.length });
    } else if (!closes) return;
    event.preventDefault();
  };
  const typed = (event: Event): void => {
    setClosed(false);
    onText((event.currentTarget as HTMLInputElement).value);
  };
  const submit = (): void => {
    if (!always && text.trim() === '') return;
    if (chosen === undefined) setEntered(text);
    else take(all[at]);
  };
  return { at, shown, open, take, pressed, typed, submit, close: () => setClosed(true) };
}

const classOf = (always: boolean): string => (always ? 'findings' : 'findings findings-below');

interface ListProps {
  readonly list: string;
  readonly open: boolean;
  readonly at: number;
  readonly findings: readonly Finding[];
  readonly take: (found: Finding) => void;
  readonly always: boolean;
}

function List({ list, open, at, findings, take, always }: ListProps) {
  useEffect(() => document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at]);
  // A press of the mouse would take the focus out of the field.
  const stay = (event: Event): void => event.preventDefault();
  return html`<ul id=${list} class=${classOf(always)} role="listbox" aria-label="Results" hidden=${!open}>
    ${findings.map(
      (found, index) =>
        html`<li
          key=${found.key}
          id=${`${list}-${index}`}
          role="option"
          aria-selected=${index === at ? 'true' : 'false'}
          onMouseDown=${stay}
          onClick=${() => take(found)}
        >
          <span>${found.title}</span> <span class="small muted">${found.detail}</span>
        </li>`,
    )}
  </ul>`;
}
