import type { ComponentChildren } from 'preact';
import { html } from '../frame/html.ts';
import { Copy } from './copy.ts';

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Figures are right-aligned. */
  readonly figures?: boolean;
}

/** A table; its first column names the row and stays in sight when a phone scrolls sideways. */
export interface TableProps<T> {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Shown if there are no rows. */
  readonly empty?: ComponentChildren;
}

/** Shows rows as a real table. */
export function Table<T>({ caption, columns, rows, rowKey, empty }: TableProps<T>) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return html`<div class="scroll table" role="region" aria-label=${caption} tabindex="0">
    <table>
      <caption class="hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ title, figures }) => html`<th scope="col" class=${figures ? 'num' : ''}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr key=${rowKey(row)}>
              ${columns.map((column, at) => cellOf(column, row, at))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function cellOf<T>({ cell, figures }: Column<T>, row: T, at: number) {
  if (at === 0) return html`<th scope="row">${cell(row)}</th>`;
  return html`<td class=${figures ? 'num' : ''}>${cell(row)}</td>`;
}

/** Shows names with values, one below the other. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  const shown = of.filter(([, value]) => value !== undefined && value !== null && value !== false);
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/**
 * Shows an id with a button that copies it, as a link when `href` is given; in a table its beginning is cut for the eye,
 * since its end differs.
 */
export function Id({ id, href }: { readonly id: string; readonly href?: string | undefined }) {
  const text = html`<span class="id-head">${id.slice(0, -6)}</span>${id.slice(-6)}`;
  return html`<span class="id-copy"
    >${
      href === undefined
        ? html`<span class="id">${text}</span>`
        : html`<a class="id" href=${href} title=${id} aria-label=${id}>${text}</a>`
    }<${Copy} text=${id}
  /></span>`;
}
