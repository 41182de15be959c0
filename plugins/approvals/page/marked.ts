import { html, type Html } from '../../../kernel/index.ts';
import { piecesOf, type Piece } from '../marks.ts';

/**
 * Shows pieces of a text: a letter that looks like another one with its name, an invisible character by its name alone.
 * What is read from right to left stays in its place.
 */
export function marked(pieces: readonly Piece[]): Html {
  return html`${pieces.map(({ text, kind, label = '' }) => {
    if (kind === undefined) return text;
    if (kind === 'rtl') return html`<bdi>${text}</bdi>`;
    const shown = kind === 'lookalike' ? html`<bdi>${text}</bdi> ` : '';
    return html`<mark class="odd" data-char="${label.slice(2, label.indexOf(' '))}"
      >${shown}<span>${label}</span></mark
    >`;
  })}`;
}

/** Shows a text of somebody else, with its marks. */
export function markedText(text: string): Html {
  return html`<bdi>${marked(piecesOf(text))}</bdi>`;
}

/** Rules for what is marked. */
export const markedStyle = `
.odd{background:var(--bad-soft);color:var(--bad);border:1px solid currentColor;border-radius:4px;padding:0 .25em;font-weight:650}
.odd span{font-size:.75em;letter-spacing:.02em}
`;
