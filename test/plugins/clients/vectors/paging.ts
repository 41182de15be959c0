/** One case: the answers to a list, in order, and what a reader gets of it. */
export interface PagingCase {
  readonly name: string;
  readonly pages: readonly object[];
  readonly result: {
    readonly items: readonly string[];
    /** The cursors that were sent; null: none. */
    readonly cursors: readonly (string | null)[];
    readonly error?: string;
  };
}

const page = (ids: readonly string[], next_cursor?: string): object => ({
  status: 200,
  body: { runs: ids.map((run_id) => ({ run_id })), ...(next_cursor === undefined ? {} : { next_cursor }) },
});
const gone = { status: 400, body: { code: 'invalid_parameter', status: 400, detail: 'the cursor has expired' } };

/** Lists in pages. */
export const paging: readonly PagingCase[] = [
  { name: 'one page', pages: [page(['a', 'b'])], result: { items: ['a', 'b'], cursors: [null] } },
  { name: 'no item', pages: [page([])], result: { items: [], cursors: [null] } },
  {
    name: 'three pages',
    pages: [page(['a'], '1'), page(['b'], '2'), page(['c'])],
    result: { items: ['a', 'b', 'c'], cursors: [null, '1', '2'] },
  },
  {
    name: 'empty pages in between',
    pages: [page([], '1'), page(['a'], '2'), page([], '3'), page([], '4'), page(['b'])],
    result: { items: ['a', 'b'], cursors: [null, '1', '2', '3', '4'] },
  },
  {
    name: 'an empty page at the end',
    pages: [page(['a'], '1'), page([])],
    result: { items: ['a'], cursors: [null, '1'] },
  },
  {
    name: 'a cursor that has expired is told, and the list does not begin again',
    pages: [page(['a'], '1'), gone],
    result: { items: ['a'], cursors: [null, '1'], error: 'invalid_parameter' },
  },
  {
    name: 'a page that comes at the second try',
    pages: [page(['a'], '1'), { status: 503, body: { code: 'overloaded', status: 503, retryable: true } }, page(['b'])],
    result: { items: ['a', 'b'], cursors: [null, '1', '1'] },
  },
];
