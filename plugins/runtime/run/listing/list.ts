import { runStatuses } from '../../facts/facts.ts';
import type { RunFilter, RunRow } from '../../store.ts';
import type { QueuedFilter } from '../../tables/run-pages.ts';
import { orbsOf, statusesOf, type RunQuery } from './filters.ts';
import {
  holds,
  mergePages,
  PlatformError,
  type Awaitable,
  type Page,
  type Principal,
} from '../../../../kernel/index.ts';

/** The reads that the routes of runs use. */
export interface RunReads {
  findRun(runId: string): Awaitable<RunRow | undefined>;
  listRuns(filter: RunFilter): Promise<Page<RunRow>>;
}

interface OpenRun {
  readonly run_id: string;
  readonly orb_id: string;
  readonly status: string;
}

/** The runs that have not ended. */
export interface QueuedReads {
  /** Lists them newest first, as they are sent. */
  list(filter: QueuedFilter): Promise<Page<OpenRun>>;
}

/** Which page is read: below the id `before`. */
interface Place {
  readonly before: string | undefined;
  readonly limit: number;
}

/** Lists the runs that a caller may see, newest first, a page at a time. */
export type RunLister = (query: RunQuery, principal: Principal, place: Place) => Promise<Page<RunRow | OpenRun>>;

/** Makes what lists runs that have ended and those that have not. */
export function runLister(reads: Pick<RunReads, 'listRuns'>, queued: QueuedReads): RunLister {
  return async ({ status, orb_id, ...filter }, principal, place) => {
    const whose = { tenant: tenantOf(principal), principal: callerOf(filter.principal, principal) };
    const asked = { ...filter, ...orbsOf(orb_id), ...whose, ...place };
    const wanted = statusesOf(status);
    const is = (one: string): boolean => wanted === undefined || wanted.includes(one);
    const over = runStatuses.filter(is);
    const ended = over.length === 0 ? none : await reads.listRuns({ ...asked, ...someOf(over) });
    // The row of a run has its provider, reason and key at the end.
    const waits = ['queued', 'held', 'running'].some(is);
    const atEnd = filter.provider ?? filter.reason ?? filter.key_id;
    const open = waits && atEnd === undefined ? await queued.list(asked) : none;
    const items = open.items.filter((run) => is(run.status));
    const page = mergePages<RunRow | OpenRun>([ended, { ...open, items }], place.limit, ({ run_id }) => run_id);
    return { ...page, items: page.items.filter(({ orb_id: orb }) => maySeeRuns(principal, orb)) };
  };
}

/** Returns the tenant whose runs a caller may see; undefined: those of all. */
export const tenantOf = ({ scopes, tenant }: Principal): string | undefined =>
  scopes.includes('*') ? undefined : tenant;

// Throws 403 for a caller that may list its own runs only and asks for those of another.
function callerOf(asked: string | undefined, { id, scopes }: Principal): string | undefined {
  if (holds(scopes, 'runs:read')) return asked;
  if (asked === undefined || asked === id) return id;
  throw new PlatformError(
    'insufficient_scope',
    `the key needs the scope runs:read for the runs of ${asked}; leave out \`principal\` to list the runs of your own key`,
    {
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="runs:read"' },
    },
  );
}

// As for one run: those of the caller itself, of an Orb that it may run.
function maySeeRuns({ scopes }: Principal, orb: string): boolean {
  return holds(scopes, 'runs:read') || holds(scopes, 'orbs:execute', orb);
}

function someOf(ended: readonly string[]): Pick<RunFilter, 'status' | 'statuses'> {
  if (ended.length === runStatuses.length) return {};
  return ended.length === 1 ? { status: ended[0] } : { statuses: ended };
}

const none: Page<never> = { items: [] };
