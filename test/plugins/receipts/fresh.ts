import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Attestation, Principal, Reply, Row } from '../../../kernel/index.ts';
import type { ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import type { KnownFact, Receipt } from '../../../plugins/runtime/contract.ts';
import { parseCheckpoint, type Checkpoint, parseNote } from '../../../plugins/receipts/log/pure/note.ts';
import {
  storedColumns,
  storedReceipt,
  withShapes,
  type StoredReceipt,
} from '../../../plugins/receipts/log/rows/stored-receipt.ts';
import { shippedFacts } from '../../helpers/command.ts';
import { readTrust, type Trust } from '../../../plugins/receipts/verifier/trust.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from './harness.ts';

/** The plugin at work on a state dir that is new; what it answers is of the process that runs now. */
export interface FreshReceipts extends Harness {
  /** Starts it again after a stop; `node`: as the node of this name. */
  start(node?: string): Promise<void>;
  /** Stops it and starts it again; `node`: as the node of this name. */
  restart(node?: string): Promise<void>;
  /** Attests new runs of an Orbiset at once. */
  attestRuns(count: number, orbisetId?: string): Promise<Receipt[]>;
  /** Attests a fact of any kind through the hook. */
  attestFact(fact: KnownFact): Promise<Attestation>;
  /** Reads a receipt through its route. */
  read(id: string, query?: object, as?: Partial<Principal>): Promise<ReceiptDocument>;
  /** Reads the body of what a route answers to anybody. */
  published(path: string, params?: object, query?: object): Promise<unknown>;
  /** Answers the trust in the keys that stand in the state dir. */
  trust(): Trust;
  /** Absolute path of a file of the state dir. */
  path(name: string): string;
  /** Reads rows of the store's file past the plugin. */
  rows<Row>(sql: string, ...values: unknown[]): Row[];
  /** Reads receipts of the store's file past the plugin; `rest`: what follows FROM, the receipts are `r`. */
  stored(rest: string, ...values: unknown[]): StoredReceipt[];
  /** Edits the store's file behind the plugin. */
  edit(sql: string): void;
}

/** Who may read every receipt of the tenant `default`. */
export const admin: Partial<Principal> = { tenant: 'default', scopes: ['*'] };

/** Starts the plugin before each test of the describe it is called in, or once before all of them; `node`: as this one. */
export function freshReceipts(per: 'test' | 'describe' = 'test', node?: string): FreshReceipts {
  let dir: ReturnType<typeof temporaryDir>;
  let now: Harness;
  const start = async (name = node): Promise<void> => {
    now = await startReceipts(dir.path, undefined, undefined, name);
  };
  const [up, down] = per === 'test' ? [beforeEach, afterEach] : [before, after];
  up(() => {
    dir = temporaryDir();
    return start();
  });
  down(async () => {
    await now.stop();
    dir.remove();
  });
  const path = (name: string): string => join(dir.path, name);
  const rows = <Found>(sql: string, ...values: unknown[]): Found[] => {
    const database = new Driver(path('store.db'), { readonly: true });
    const found = database.prepare(sql).all(...values);
    database.close();
    return found as Found[];
  };
  return {
    get stateDir() {
      return now.stateDir;
    },
    get store() {
      return now.store;
    },
    get hooks() {
      return now.hooks;
    },
    get services() {
      return now.services;
    },
    get metrics() {
      return now.metrics;
    },
    health: () => now.health(),
    attest: (...given) => now.attest(...given),
    call: (...given) => now.call(...given),
    start,
    stop: () => now.stop(),
    async restart(name) {
      await now.stop();
      await start(name);
    },
    attestRuns: (count, orbisetId) => Promise.all(Array.from({ length: count }, () => now.attest(newRun(orbisetId)))),
    attestFact: async (fact) =>
      (await now.hooks.attest({ fact, operations: () => [] })) ?? expect.fail('nobody attested'),
    read: async (id, query = {}, as = admin) =>
      (await now.call('/receipts/{receipt_id}', { receipt_id: id }, as, query)) as ReceiptDocument,
    published: async (route, params = {}, query = {}) => ((await now.call(route, params, {}, query)) as Reply).body,
    trust: () => ({ ...(readTrust(readFileSync(path('jwks.json'), 'utf8')) ?? { keys: [] }), facts: shippedFacts }),
    path,
    rows,
    stored(rest, ...values) {
      return rows<Row>(`SELECT ${storedColumns} FROM ${withShapes} ${rest}`, ...values).map((row) =>
        storedReceipt(row),
      );
    },
    edit(sql) {
      const database = new Driver(path('store.db'));
      database.exec(sql);
      database.close();
    },
  };
}

/** Reads the checkpoint that the log publishes now. */
export async function latestCheckpoint({ published }: FreshReceipts): Promise<Checkpoint | undefined> {
  return parseCheckpoint(parseNote(String(await published('/log/checkpoint')))?.text ?? '');
}

/** Attests new runs, whose receipts must all be signed, and answers the ids of these. */
export async function signedRuns({ attestRuns }: FreshReceipts, count: number): Promise<string[]> {
  const made = await attestRuns(count);
  expect(made.every(({ signature_valid: valid }) => valid)).to.equal(true);
  return made.map(({ receipt_id: id }) => id);
}
