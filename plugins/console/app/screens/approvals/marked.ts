import { html } from '../../frame/html.ts';
import { piecesOf, type Piece } from '../../../../approvals/marks.ts';

/** Shows pieces of a stranger's text; characters that deceive are marked with their code points. */
export function Pieces({ of }: { readonly of: readonly Piece[] }) {
  return of.map(({ text, kind, label }) => {
    if (kind === undefined) return text;
    // Only letters are shown themselves: other signs would move or hide their neighbours.
    const shown = kind === 'rtl' || kind === 'lookalike' ? html`<bdi>${text}</bdi>` : '';
    return label === undefined ? shown : html`<mark class="sign">${shown}<span>${label}</span></mark>`;
  });
}

/** Shows a text of a stranger, with its marks. */
export const Marked = ({ of }: { readonly of: string }) => html`<${Pieces} of=${piecesOf(of)} />`;
