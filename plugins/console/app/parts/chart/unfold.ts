import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';

/** Shows what is long, such as the table of a chart, when the reader opens it; it is not made before. */
export function Unfold({ title, show }: { readonly title: string; readonly show: () => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const toggled = (event: Event): void => setOpen((event.currentTarget as HTMLDetailsElement).open);
  return html`<details open=${open} onToggle=${toggled}>
    <summary>${title}</summary>
    ${open && show()}
  </details>`;
}
