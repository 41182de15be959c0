import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { claimTexts } from '../../store/sql/claim.ts';
import type { Connection, Operations, Statement, StoreModule } from '../../store/contract.ts';
import { createSealer } from '../../store/sealer.ts';
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
  const statement: Statement = { queue: nothing, must: nothing, run: () => 0, get: nothing, all: () => [] };
  const connection: Connection = {
    prepare(sql) {
      seen.add(sql);
      return statement;
    },
  };
  const installation = 'ins_00000000000000000000000000';
  store.write({
    ...{ connection, installation, stateDir: tmpdir(), version: '0.0.0' },
    now: () => Date.now(),
    node: { name: 'node-1', incarnation: '0123456789abcdef' },
    shared: false,
    ulid: () => '00000000000000000000000000',
    sealer: createSealer(randomBytes(32), installation),
  });
  store.read(connection);
  for (const { take, dependents, found } of (store.claims ?? []).map(claimTexts))
    for (const text of [take, ...dependents, found]) seen.add(text);
  for (const text of store.moved ?? []) seen.add(text);
  return [...seen];
}
