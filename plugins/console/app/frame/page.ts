import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { brandName } from './brand.ts';
import { html } from './html.ts';
import { usePlace } from './router.ts';

/** A screen: its heading, what can be done here, and its content. */
export interface PageProps {
  readonly title: string;
  /** One sentence on what the screen shows. */
  readonly about?: ComponentChildren;
  /** Buttons and links next to the heading. */
  readonly acts?: ComponentChildren;
  /** The list to which the item belongs. */
  readonly above?: { readonly href: string; readonly name: string };
  readonly children?: ComponentChildren;
}

// The navigation after which the focus was moved.
let focused = 0;

/** Lays out a screen, names the window after it, and moves the focus to its heading after a navigation. */
export function Page({ title, about, acts, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { path, turn } = usePlace();
  useEffect(() => {
    document.title = `${title} · ${brandName()}`;
  }, [title]);
  useEffect(() => {
    // A screen may be shown once more, when its part is loaded: who went on meanwhile keeps the focus.
    if (turn === 0 || (focused === turn && document.activeElement !== document.body)) return;
    focused = turn;
    heading.current?.focus({ preventScroll: true });
  }, [path]);
  return html`<div class="page stack">
    <header class="page-head">
      <div>
        ${above && html`<p class="above"><a href=${above.href}>${above.name}</a></p>`}
        <h1 ref=${heading} tabindex="-1">${title}</h1>
        ${about && html`<p class="about muted">${about}</p>`}
      </div>
      ${acts && html`<div class="row acts">${acts}</div>`}
    </header>
    ${children}
  </div>`;
}
