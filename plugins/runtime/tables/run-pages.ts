import { markMigration, marksBefore, type MarkedTable } from '../../row-marks/contract.ts';
import type { RunRow } from '../facts/facts.ts';
import {
  type Connection,
  mergePages,
  timesBetween,
  type Page,
  type PageFilter,
  queriesOf,
} from '../../../kernel/index.ts';
import { rowBudget, asIs } from '../../../kernel/runner.ts';

/** The columns of a run. */
export const runColumns = [
  ...([
    'run_id',
    'tenant',
    'orbiset_id',
    'orb_id',
    'principal',
    'key_id',
    'status',
    'reason',
    'mode',
    'provider',
  ] as const),
  ...(['started_at', 'finished_at', 'execution_ms', 'receipt_id', 'resolution', 'silent'] as const),
];

/** The filter of a list of runs that have ended. */
export interface RunFilter extends QueuedFilter {
  readonly tenant: string | undefined;
  readonly status?: string | undefined;
  /** Any of them; instead of `status`. */
  readonly statuses?: readonly string[] | undefined;
  readonly provider?: string | undefined;
  readonly key_id?: string | undefined;
  readonly reason?: string | undefined;
}

/** Ids above `above` and below `below`. */
export interface IdRange {
  readonly above: string;
  readonly below: string;
}

// An index costs each run, so those filters have marks instead that most runs of a tenant share.
const indexedFilters = ['tenant', 'orb_id', 'principal'] as const;
const triedFilters = ['orbiset_id', 'provider', 'key_id'] as const;

/** The columns of runs that have marks. */
export const markedRuns: MarkedTable<(typeof triedFilters)[number]> = {
  ...{ table: 'runtime_runs', id: 'run_id', marks: 'runtime_marks' },
  columns: triedFilters,
};

/** Marks the Orbisets, providers and keys of runs. */
export const runMarks = markMigration(markedRuns);

// Of more Orbs, each run is compared instead: each Orb has its own way through the index.
const mostOrbs = 8;

/**
 * Prepares the pages of runs. Several statuses or Orbs are read as one list each, along its own index, and merged; the
 * lists share the rows that one page may visit.
 */
export function runPages(connection: Connection): (filter: RunFilter) => Page<RunRow> {
  const one = onePage(connection);
  const orbsWithin = usedOrbs(connection);
  return ({ orbs, statuses, ...filter }) => {
    const rare = statuses !== undefined && !statuses.includes('completed');
    const known = orbs === undefined || rare ? undefined : orbsWithin(orbs);
    const parts = known === undefined ? statuses?.map((status) => ({ status })) : known.map((orb_id) => ({ orb_id }));
    const tried = known === undefined ? within(orbs) : among(statuses);
    if (parts === undefined) return one(filter, tried, rowBudget);
    const budget = Math.floor(rowBudget / Math.max(1, parts.length));
    const pages = parts.map((part) => one({ ...filter, ...part }, tried, budget));
    return mergePages(pages, filter.limit, ({ run_id }) => run_id);
  };
}

const within = (orbs: IdRange | undefined): readonly PageFilter[] =>
  orbs === undefined ? [] : [{ where: '(orb_id > ? AND orb_id < ?)', values: [orbs.above, orbs.below] }];

const among = (statuses: readonly string[] | undefined): readonly PageFilter[] =>
  statuses === undefined
    ? []
    : [{ where: `status IN (${Array(statuses.length).fill('?').join(', ')})`, values: statuses }];

type OneFilter = Omit<RunFilter, 'orbs' | 'statuses'>;

function onePage(connection: Connection) {
  const topOf = marksBefore(connection, markedRuns);
  const select = runColumns.join(', ');
  const newest = queriesOf(connection).pages<RunRow>({ select, table: 'runtime_runs', id: 'run_id', read: asIs });
  return ({ limit, status, ...filter }: OneFilter, more: readonly PageFilter[], budget: number): Page<RunRow> => {
    const before = topOf(filter, filter.before);
    if (before === undefined) return { items: [] };
    const equal = (name: keyof typeof filter): PageFilter => ({ where: `${name} = ?`, values: filter[name] });
    // Only runs that have a reason are in the index.
    const reasoned = { where: 'reason = ? AND reason IS NOT NULL', values: filter.reason };
    const indexed = [...indexedFilters.map(equal), reasoned];
    const { tried: timesTried, ...times } = timesBetween('run', 'started_at', filter);
    const tried = [...timesTried, ...triedFilters.map(equal), ...more];
    const rest = { ...times, before, limit, budget };
    // Only the others are indexed: nearly every run completes.
    if (status === 'completed')
      return newest({ indexed, tried: [...tried, { where: 'status = ?', values: status }], ...rest });
    const unfinished = { where: "status = ? AND status <> 'completed'", values: status };
    return newest({ indexed: [...indexed, unfinished], tried, ...rest });
  };
}

// Lists the Orbs within a range that have runs, by one step along the index each; undefined: they are too many.
function usedOrbs(connection: Connection): (orbs: IdRange) => readonly string[] | undefined {
  const next = queriesOf(connection).find<string, [above: string, below: string]>(
    'SELECT orb_id FROM runtime_runs WHERE orb_id > ? AND orb_id < ? ORDER BY orb_id LIMIT 1',
    ({ orb_id }) => String(orb_id),
  );
  return ({ above, below }) => {
    const found: string[] = [];
    for (let orb = next(above, below); orb !== undefined; orb = next(orb, below)) {
      if (found.length === mostOrbs) return undefined;
      found.push(orb);
    }
    return found;
  };
}

/**
 * The filter of a list of runs that wait or are under way. `from`, `to`: accepted not before the one and before the
 * other, RFC 3339; `before`: only runs with a smaller id; `orbs`: Orbs whose ids are within it, instead of `orb_id`.
 */
export type QueuedFilter = {
  readonly [K in 'tenant' | 'orb_id' | 'orbiset_id' | 'principal' | 'from' | 'to' | 'before']?: string | undefined;
} & { readonly orbs?: IdRange | undefined; readonly limit: number };
