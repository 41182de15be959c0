import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { html } from '../frame/html.ts';

/** A dialog that is open as long as it is shown; the browser keeps the focus inside and gives it back. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/**
 * Shows a dialog above the page; Escape closes it. The focus begins at the first field of its form, or at the first
 * button of its body, which is the least dangerous one.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once: the next key that is pressed is for the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    const seen = (of: string) =>
      [...(shown?.querySelectorAll<HTMLElement>(of) ?? [])].find((one) => one.checkVisibility());
    (seen('form :is(input, select, textarea)') ?? seen('.dialog-body button'))?.focus();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return html`<dialog ref=${dialog} class="dialog" aria-labelledby=${id} onCancel=${cancel}>
    <header class="dialog-head">
      <h2 id=${id}>${title}</h2>
      <button class="button button-quiet icon" type="button" aria-label="Close" onClick=${onClose}>×</button>
    </header>
    <div class="dialog-body stack">${children}</div>
  </dialog>`;
}
