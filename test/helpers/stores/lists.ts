import type Driver from 'better-sqlite3';
import { firstIdAt, type Connection, type Operations, type Page, type StoreModule } from '../../../kernel/index.ts';
import runtimeStore from '../../../plugins/runtime/store.ts';
import { rowBudget } from '../../../kernel/store/sql/page.ts';
import ingestionStore from '../../../plugins/ingestion/store.ts';
import policyStore from '../../../plugins/policy/store.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';

const total = 12 * rowBudget;
const start = Date.UTC(2026, 10, 21);
const at = (number: number): string => new Date(start + number * 1000).toISOString();
const idOf = (prefix: string, number: number): string => firstIdAt(prefix, start + number * 1000);
// Only the oldest row is `rare` in everything: what goes from the newest to the oldest visits all rows before it.
const marked = (number: number): string => (number === 0 ? 'rare' : 'usual');

/** Filters of a list by their names. */
export type Filters = Readonly<Record<string, unknown>>;

/** A list on a full table: each filter with the value of the rare row, and with that of the others. */
export interface FullList {
  readonly name: string;
  readonly rare: Filters;
  readonly usual: Filters;
  readonly store: StoreModule<Operations, unknown>;
  open(connection: Connection): (filters: Filters) => Page<unknown>;
  /** Fills its tables. */
  fill(driver: Driver.Database): void;
}

// Inserts rows of named columns; what is not named is 'x', or 0 in a column of numbers.
function fill(driver: Driver.Database, table: string, rowOf: (number: number) => Filters): void {
  const columns = driver.pragma(`table_info(${table})`) as { name: string; type: string; notnull: number }[];
  const used = columns.filter(({ name, notnull }) => notnull === 1 || name in rowOf(0));
  const names = used.map(({ name }) => `"${name}"`).join(', ');
  const insert = driver.prepare(`INSERT INTO ${table} (${names}) VALUES (${used.map(() => '?').join(', ')})`);
  driver.transaction(() => {
    for (let number = 0; number < total; number++) {
      const row = rowOf(number);
      insert.run(used.map(({ name, type }) => row[name] ?? (type === 'INTEGER' ? 0 : 'x')));
    }
  })();
}

const times = { from: at(0), to: at(1) };
const runs = (mark: string): Filters =>
  Object.fromEntries(['tenant', 'orb_id', 'orbiset_id', 'principal', 'provider', 'reason'].map((name) => [name, mark]));
const latest = { from: at(1), to: at(total) };

/** The lists with filters: of runs, swaps, receipts, decisions, deliveries and incidents. */
export const lists: readonly FullList[] = [
  {
    name: 'runs',
    rare: { ...runs('rare'), status: 'failed', ...times },
    usual: { ...runs('usual'), status: 'completed', ...latest },
    store: runtimeStore,
    open(connection) {
      const { listRuns } = runtimeStore.read(connection);
      const none = { tenant: undefined, status: undefined, orb_id: undefined, before: undefined };
      return (filters) => listRuns({ ...none, ...filters, limit: 20 });
    },
    fill(driver) {
      fill(driver, 'runtime_runs', (number) => ({
        ...{ ...runs(marked(number)), run_id: idOf('run', number), started_at: at(number) },
        key_id: marked(number),
        status: number === 0 ? 'failed' : 'completed',
      }));
    },
  },
  {
    name: 'swaps',
    rare: { orb: 'rare' },
    usual: { orb: 'usual' },
    store: runtimeStore,
    open(connection) {
      const { listSwaps } = runtimeStore.read(connection);
      return ({ orb }) => listSwaps({ orb_id: orb as string | undefined, limit: 20 });
    },
    fill(driver) {
      fill(driver, 'runtime_swaps', (number) => ({ swap_id: idOf('swp', number), orb_id: marked(number) }));
    },
  },
  {
    name: 'receipts',
    rare: {
      tenant: 'rare',
      orbiset_id: 'rare',
      orb_id: 'rare',
      status: 'failed',
      ...times,
      ownKinds: ['incident', 'swap'],
    },
    usual: {
      tenant: 'usual',
      orbiset_id: 'usual',
      orb_id: 'usual',
      status: 'completed',
      ...latest,
      ownKinds: ['swap'],
    },
    store: receiptsStore,
    open(connection) {
      const { listReceipts } = receiptsStore.read(connection);
      return (filters) => listReceipts({ ...filters, limit: 20 });
    },
    fill(driver) {
      fill(driver, 'receipts_receipts', (number) => ({
        ...{ receipt_id: idOf('rec', number), kind: number === 0 ? 'swap' : 'run', tenant: marked(number) },
        ...{ orbiset_id: marked(number), orb_id: marked(number), sequence: number, timestamp: at(number), log: 1 },
        ...{ idx: number, payload: Buffer.alloc(0), signature: Buffer.alloc(0) },
        status: number === 0 ? 'failed' : 'completed',
      }));
    },
  },
  {
    name: 'decisions',
    rare: {
      tenant: 'rare',
      action: 'rare',
      allow: false,
      orb_id: 'rare',
      principal: 'rare',
      revision: 'rare',
      ...times,
    },
    usual: { tenant: 'usual', action: 'usual', allow: true, orb_id: 'usual', principal: 'usual', ...latest },
    store: policyStore,
    open(connection) {
      const { decisions } = policyStore.read(connection);
      return (filters) => decisions({ ...filters, limit: 20 });
    },
    fill(driver) {
      fill(driver, 'policy_decisions', (number) => ({
        ...{ decision_id: idOf('dec', number), tenant: marked(number), at: at(number), action: marked(number) },
        ...{ allow: number === 0 ? 0 : 1, orb_id: marked(number), principal: marked(number), revision: marked(number) },
      }));
    },
  },
  {
    name: 'deliveries',
    rare: { source_id: 'rare', state: 'dead', reason: 'rare', ...times },
    usual: { source_id: 'usual', state: 'done', reason: 'usual', ...latest },
    store: ingestionStore,
    open(connection) {
      const { deliveries } = ingestionStore.read(connection).deliveries;
      return (filters) => deliveries({ ...filters, limit: 20 });
    },
    fill(driver) {
      fill(driver, 'ingestion_deliveries', (number) => ({
        ...{
          delivery_id: idOf('dlv', number),
          source_id: marked(number),
          received_at: at(number),
          reason: marked(number),
        },
        ...{ delivery_key: String(number), state: number === 0 ? 'dead' : 'done', auth_strength: 'strong' },
        ...{ headers: '{}', query: '{}' },
      }));
    },
  },
  {
    name: 'incidents',
    rare: {
      ...{ state: 'unresolved', severity: 'rare', kind: 'rare', component: 'rare', provider: 'rare', orb_id: 'rare' },
      ...{ retracted: false, ...times },
    },
    usual: { state: 'resolved', severity: 'usual', component: 'usual', provider: 'usual', retracted: true, ...latest },
    store: ingestionStore,
    open(connection) {
      const { list } = ingestionStore.read(connection).incidents;
      return (filters) => list({ ...(filters as object), limit: 20 });
    },
    fill(driver) {
      fill(driver, 'ingestion_incidents', (number) => ({
        ...{ incident_id: idOf('inc', number), state: number === 0 ? 'open' : 'resolved', severity: marked(number) },
        ...{ kind: marked(number), retracted: number === 0 ? 0 : 1, starts_at: at(number), record: '{}' },
      }));
      for (const kind of ['component', 'provider', 'orb'])
        fill(driver, 'ingestion_incident_scopes', (number) => ({
          ...{ incident_id: idOf('inc', number), kind, id: marked(number) },
        }));
    },
  },
];

/** The filters that only the oldest row fits, alone: a page finds it at once. */
export const rareFilters: Readonly<Record<string, readonly string[]>> = {
  runs: ['tenant', 'orb_id', 'orbiset_id', 'principal', 'provider', 'key_id', 'reason', 'status'],
  receipts: ['tenant', 'orb_id', 'orbiset_id', 'status'],
  decisions: ['tenant', 'action', 'orb_id', 'principal', 'revision', 'allow'],
};

/** Makes the tables of a list and fills them: the migration of marks finds the rows, as in a store of before it. */
export function fillTables({ fill, store }: FullList, driver: Driver.Database): void {
  const isMarks = (text: string): boolean => text.includes('_marks');
  driver.pragma('foreign_keys = OFF');
  for (const migration of store.migrations.filter((text) => !isMarks(text))) driver.exec(migration);
  fill(driver);
  for (const migration of store.migrations.filter(isMarks)) driver.exec(migration);
}

/** All subsets of the filters, the empty one too. */
export function subsets(filters: Filters): readonly Filters[] {
  return Object.entries(filters).reduce<readonly Filters[]>(
    (all, [name, value]) => [...all, ...all.map((one) => ({ ...one, [name]: value }))],
    [{}],
  );
}
