import { csvLine } from './csv.ts';
import { filterFaults, runFilter, type RunQuery } from './filters.ts';
import type { RunLister } from './list.ts';
import { defineRoute, refuseHeld, reply, type HeldKind, type Principal, type Route } from '../../../../kernel/index.ts';

const mostRows = 100_000;
const rowsOfPage = 100;
const exports: HeldKind = { name: 'run_export', most: 2, cut: true };

const columns = [
  ...([
    'run_id',
    'status',
    'reason',
    'orb_id',
    'orbiset_id',
    'principal',
    'key_id',
    'mode',
    'provider',
    'queued_at',
  ] as const),
  ...(['started_at', 'finished_at', 'execution_ms', 'receipt_id', 'resolution'] as const),
];

/** Answers `GET /runs/export`: the runs of `GET /runs` as CSV, a page at a time. */
export const runExportRoute = (list: RunLister): Route =>
  defineRoute({
    method: 'GET',
    path: '/runs/export',
    operationId: 'exportRuns',
    service: 'runtime',
    scope: ['runs:read', 'orbs:execute'],
    narrowed: true,
    // A link of the console downloads it, without a script that holds all of it.
    eventSource: true,
    summary: 'Export runs as CSV, newest first, at most 100,000; without `runs:read` only those of the caller',
    query: { type: 'object', properties: runFilter },
    queryFaults: filterFaults,
    produces: 'text/csv',
    sends: { 'Content-Disposition': true },
    async handle({ query, principal, hold, callerNow }) {
      // The first page is read before the head of the answer leaves, so that a filter that does not fit is a problem.
      const first = await list(query, principal, { before: undefined, limit: rowsOfPage });
      if (hold(exports) === undefined) refuseHeld(exports);
      const pages = pagesFrom(first, { list, query, callerNow });
      return reply({
        type: 'text/csv; charset=utf-8; header=present',
        headers: { 'Content-Disposition': 'attachment; filename="runs.csv"' },
        stream: linesOf(pages),
      });
    },
  });

type RunPage = Awaited<ReturnType<RunLister>>;

interface Reading {
  readonly list: RunLister;
  readonly query: RunQuery;
  readonly callerNow: () => Promise<Principal | undefined>;
}

async function* pagesFrom(first: RunPage, { list, query, callerNow }: Reading): AsyncIterable<RunPage> {
  for (let page = first; ;) {
    yield page;
    if (page.next === undefined) return;
    const caller = await callerNow();
    if (caller === undefined) throw new Error('the key was revoked during the export');
    page = await list(query, caller, { before: page.next, limit: rowsOfPage });
  }
}

async function* linesOf(pages: AsyncIterable<RunPage>): AsyncIterable<string> {
  yield csvLine(columns);
  let left = mostRows;
  for await (const { items } of pages) {
    const lines = items.slice(0, left).map((run) => {
      const cells = run as Readonly<Partial<Record<(typeof columns)[number], string | number | null>>>;
      return csvLine(columns.map((column) => cells[column]));
    });
    yield lines.join('');
    left -= lines.length;
    if (left === 0) return;
  }
}
