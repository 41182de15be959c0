import { html } from '../frame/html.ts';
import type { LiveList } from '../frame/live.ts';
import type { Listing } from '../frame/reading.ts';
import { Loading } from './notice.ts';
import { Table, type TableProps } from './table.ts';

/** A list as a table. */
export interface ListTableProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly list: Listing<T> & Partial<Pick<LiveList<T>, 'within'>>;
  /** The items that are shown; all unless given. */
  readonly rows?: readonly T[];
  /** On the button that reads the next page. */
  readonly more: string;
}

/** Shows a list that is read page by page as a table. */
export function ListTable<T>({ list, rows = list.items, more, empty, ...table }: ListTableProps<T>) {
  const { within, loading, items, problem } = list;
  const none = problem === undefined && empty;
  return html`<div ...${within}>
      ${loading && items.length === 0 ? html`<${Loading} />` : rows.length === 0 ? none : html`<${Table} ...${table} rows=${rows} />`}
    </div>
    ${list.more && html`<p><button class="button button-quiet" type="button" onClick=${list.more}>${more}</button></p>`}`;
}
