import { tmpdir } from 'node:os';
import { claimTexts, type Connection, type Operations, type Sealer, type StoreModule } from '../../../kernel/index.ts';
import { expectNone } from './expectation.ts';
import type { Check } from './options.ts';
import { outsideSubset } from './sql-subset.ts';

/**
 * Lists the rules for every store module. They need no database: the module is opened on tables without rows, and the
 * statements that it prepares then are read.
 */
export function storeChecks(store: StoreModule<Operations, unknown>): readonly Check[] {
  return [
    {
      title: 'prepares only statements that SQLite and PostgreSQL both take',
      run: () =>
        Promise.resolve().then(() => {
          const faults = preparedBy(store).flatMap((sql) => outsideSubset(sql).map((reason) => `${sql}: ${reason}`));
          expectNone(faults, 'outside the subset of SQL');
        }),
    },
  ];
}

function preparedBy(store: StoreModule<Operations, unknown>): readonly string[] {
  const seen = new Set<string>();
  const nothing = (): undefined => undefined;
  const statement: ReturnType<Connection['prepare']> = {
    queue: nothing,
    must: nothing,
    run: () => 0,
    get: nothing,
    all: () => [],
  };
  const connection: Connection = {
    prepare(sql) {
      seen.add(sql);
      return statement;
    },
  };
  // No row is read, so there is nothing that was sealed.
  const sealer: Sealer = { seal: (_, plain) => plain, open: (_, sealed) => sealed, mac: () => '' };
  store.write({
    ...{ connection, sealer, stateDir: tmpdir(), version: '0.0.0' },
    installation: 'ins_00000000000000000000000000',
    now: () => Date.now(),
    node: { name: 'node-1', incarnation: '0123456789abcdef' },
    shared: false,
    ulid: () => '00000000000000000000000000',
  });
  store.read(connection);
  for (const { take, dependents, found } of (store.claims ?? []).map(claimTexts))
    for (const text of [take, ...dependents, found]) seen.add(text);
  for (const text of store.moved ?? []) seen.add(text);
  return [...seen];
}
