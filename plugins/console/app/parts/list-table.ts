import { html } from '../frame/html.ts';
import type { LiveList } from '../frame/live.ts';
import type { Listing } from '../frame/resource.ts';
import { Loading, ProblemNote } from './notice.ts';
import { Table, type TableProps } from './table.ts';

/** A list as a table. */
export interface ListTableProps<T> extends Omit<TableProps<T>, 'rows' | 'rowKey'> {
  readonly list: Listing<T> & Partial<Pick<LiveList<T>, 'within'>>;
  /** The items that are shown; all unless given. */
  readonly rows?: readonly T[];
  /** On the button that reads the next page. */
  readonly more: string;
}

/**
 * Shows a list that is read page by page as a table, and why it could not be read; says that it is empty only when all
 * of it was read.
 */
export function ListTable<T>({ list, rows = list.items, more, empty, ...table }: ListTableProps<T>) {
  const { within, loading, problem, idOf, refresh } = list;
  const none = list.more === undefined ? problem === undefined && empty : html`<p class="muted">No entries so far.</p>`;
  return html`<${ProblemNote} problem=${problem} retry=${() => void refresh()} />
    <div ...${within}>
      ${loading ? html`<${Loading} />` : rows.length === 0 ? none : html`<${Table} ...${table} rows=${rows} rowKey=${idOf} />`}
    </div>
    ${list.more && html`<${More} list=${list} label=${more} />`}`;
}

// It is not disabled while it reads: that would take the focus away.
function More({ list: { more, busy }, label }: { readonly list: Listing<unknown>; readonly label: string }) {
  return html`<p>
    <button class="button button-quiet" type="button" aria-disabled=${busy} onClick=${more}>
      ${busy ? 'Loading…' : label}
    </button>
  </p>`;
}
