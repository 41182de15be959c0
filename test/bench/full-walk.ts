import { Pool } from 'undici';
import { getter } from './full-get.ts';
import type { Side } from './full-reads.ts';
import { printTable, times, type Row } from './table.ts';

/** What turning the pages of a list came to. */
interface Walk {
  readonly pages: number;
  readonly items: number;
  readonly took: number;
  /** It ended before its time was over. */
  readonly ended: boolean;
}

// The size of a page.
const wanted = 20;

/**
 * Prints the lists whose first page may be short, because a page visits a limited number of rows: how many pages a
 * reader turns until it has 20 items or the list ends, and how long that takes.
 */
export async function printWalks(small: Side, full: Side, seconds: number): Promise<void> {
  const rows: Row[] = [];
  for (const [index, { name, paths }] of full.requests.entries()) {
    const [path = ''] = paths;
    if (!path.includes('?') || path.includes('limit=') || name.includes('{id}')) continue;
    const after = await walked(full, path, seconds);
    if (after.pages === 1) continue;
    const before = await walked(small, small.requests[index]?.paths[0] ?? '', seconds);
    const cells = [before, after].flatMap(({ pages, items, took, ended }) => [
      `${ended ? '' : '> '}${pages}`,
      String(items),
      took.toFixed(0),
    ]);
    rows.push([name, ...cells, times(after.took, before.took)]);
  }
  const heads = [small, full].flatMap((side) => [`${side.name}: pages`, 'items', 'ms']);
  printTable(`Pages until ${wanted} items or the end, ${seconds} s at most`, [...heads, 'full/small'], rows);
}

async function walked({ target }: Side, path: string, seconds: number): Promise<Walk> {
  const pool = new Pool(target.url, { connections: 1 });
  const get = getter(target, pool);
  const begun = performance.now();
  let [pages, items] = [0, 0];
  let cursor: string | undefined;
  do {
    const { text } = await get(cursor === undefined ? path : turned(path, cursor));
    const [list] = Object.values(JSON.parse(text) as object);
    cursor = (JSON.parse(text) as { readonly next_cursor?: string }).next_cursor;
    pages += 1;
    items += Array.isArray(list) ? list.length : 0;
  } while (cursor !== undefined && items < wanted && performance.now() < begun + seconds * 1000);
  const took = performance.now() - begun;
  await pool.close();
  return { pages, items, took, ended: cursor === undefined || items >= wanted };
}

function turned(path: string, cursor: string): string {
  return `${path.replace(/cursor=[^&]*/, '')}&cursor=${cursor}`;
}
