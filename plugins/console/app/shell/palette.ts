import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { html } from '../frame/html.ts';
import type { Screen } from '../frame/screen.ts';
import { Dialog } from '../parts/dialog.ts';
import { Combobox } from './combobox.ts';
import { useFindings, type Finding } from './finder.ts';

/** Calls back for Ctrl K or ⌘ K, also while the reader types, but not above a dialog. */
export function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) open();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  });
}

/** What the palette is given. */
export interface PaletteProps {
  readonly screens: readonly Screen[];
  readonly onClose: () => void;
}

/** Finds everything by name: the actions of the present screen, screens, things, ids. */
export function Palette({ screens, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const acts = useMemo(actsHere, []);
  const wanted = text.trim().toLowerCase();
  const found = useFindings(text, screens);
  const all = [...acts.filter(({ title }) => title.toLowerCase().includes(wanted)), ...found.all];
  const findings = { ...found, all };
  return html`<${Dialog} title="Find anything" onClose=${onClose}>
    <${Combobox}
      id="palette"
      label="Find"
      hint="A screen, an action, a name or an id"
      ...${{ field, text, findings, onText: setText, onDone: onClose }}
      always
    />
  <//>`;
}

// The actions of a screen are the buttons and links next to its heading.
function actsHere(): readonly Finding[] {
  const shown = [...document.querySelectorAll<HTMLElement>('main .acts :is(button, a)')];
  return shown
    .filter((one) => !(one instanceof HTMLButtonElement && one.disabled))
    .map((one, at) => {
      const title = one.textContent.trim();
      const press = (): void => {
        one.focus();
        one.click();
      };
      // The dialog gives the focus back first.
      return { key: `act ${at}`, title, detail: 'Action of this screen', open: () => void setTimeout(press) };
    })
    .filter(({ title }) => title !== '');
}
