import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { systemClock } from '../../kernel/tools/clock.ts';
import { createIds } from '../../kernel/tools/id.ts';
import type { Connection, Sealer, Value, WriterScope } from '../../kernel/index.ts';
import { createCommit } from '../../plugins/receipts/format/commitment.ts';
import { Chains } from '../../plugins/receipts/issue/chain.ts';
import { openLog } from '../../plugins/receipts/keys/signing-keys.ts';
import { keyTable } from '../../plugins/receipts/keys/key-tables.ts';
import { Shapes } from '../../plugins/receipts/issue/shapes.ts';
import { splitStatement } from '../../plugins/receipts/issue/split-statement.ts';
import { draftRun, type Issuer } from '../../plugins/receipts/issue/run-draft.ts';
import receiptsStore, { type Reads } from '../../plugins/receipts/store.ts';
import type { ToAppend } from '../../plugins/receipts/issue/append-receipt.ts';
import { newRun } from '../plugins/receipts/harness.ts';

/** The writing half of the receipts' store on this thread, on the store of a state dir nobody else has open. */
export interface BenchLog {
  readonly reads: Reads;
  size(): number;
  /** Attests a batch of runs in one durable commit. Answers the milliseconds of CPU of this process it took. */
  append(count: number): number;
  /** Puts entries into the log that are no receipts, until it has `size`. */
  fill(size: number): Promise<void>;
  close(): void;
}

const ids = createIds(systemClock);

/** Opens the log of a state dir that the plugin has made. */
export async function openBenchLog(stateDir: string, installation: string, sealer: Sealer): Promise<BenchLog> {
  const driver = new Driver(join(stateDir, 'store.db'));
  driver.pragma('journal_mode = WAL');
  driver.pragma('synchronous = FULL');
  const connection = connectionOf(driver);
  const scope: WriterScope = {
    ...{ connection, sealer, installation, stateDir, version: '0.4.0' },
    now: () => Date.now(),
    node: { name: 'node-1', incarnation: '0123456789abcdef' },
    shared: false,
    ulid: () => ids('rec').slice(4),
  };
  const writing = receiptsStore.write(scope);
  await writing.open?.({ guard: () => undefined });
  writing.committed?.();
  const reads = receiptsStore.read(connection);
  const row = () => {
    const log = reads.logs().at(-1);
    if (log === undefined) throw new Error('there is no log');
    return log;
  };
  const key = reads.keys().find(({ role, status }) => role === 'receipt' && status === 'active');
  const issuer: Issuer = { installation, kid: key?.kid ?? '', version: '0.4.0', origin: row().origin };
  const commit = createCommit();
  // Named, so that a profile can tell what it is.
  const transact = function storeTransaction(words: string): void {
    driver.exec(words);
  };
  const drafts = (count: number): ToAppend[] => Array.from({ length: count }, () => draft(issuer, commit));
  return {
    reads,
    size: () => row().size,
    append(count) {
      const facts = drafts(count);
      const before = process.cpuUsage();
      transact('BEGIN IMMEDIATE');
      const items: object[] = [];
      for (const fact of facts)
        void writing.operations.append(fact, {
          defer: (item) => void items.push(item),
          claim: () => undefined,
          guard: () => undefined,
          tell: () => undefined,
          time: () => 0,
        });
      void writing.beforeCommit?.(items);
      transact('COMMIT');
      writing.committed?.();
      const { system, user } = process.cpuUsage(before);
      return (system + user) / 1000;
    },
    async fill(size) {
      driver.pragma('synchronous = OFF');
      const chains = new Chains(() => undefined);
      const parts = {
        scope,
        direct: connection,
        reads,
        chains,
        shapes: new Shapes(connection),
        marks: { add: () => undefined },
      };
      const log = await openLog({ ...parts, table: keyTable(connection) });
      const entry = Buffer.alloc(400, 'e');
      for (let next = row().size; next < size;) {
        const count = Math.min(8192, size - next);
        driver.exec('BEGIN IMMEDIATE');
        for (let at = 0; at < count; at++) {
          const one = Buffer.from(entry);
          one.writeUInt32BE(next + at);
          log.add(one);
        }
        log.seal();
        driver.exec('COMMIT');
        log.settle();
        next += count;
      }
      driver.pragma('wal_checkpoint(TRUNCATE)');
      driver.pragma('synchronous = FULL');
      await writing.reload?.();
    },
    close: () => void driver.close(),
  };
}

function draft(issuer: Issuer, commit: ReturnType<typeof createCommit>): ToAppend {
  const { draft: made } = draftRun(newRun(), ids('rec'), issuer, commit);
  const { parts, values } = splitStatement(made);
  return {
    ...{ kind: 'run', statement: { shape: parts.join(''), values }, receipt_id: made.receipt_id, run_id: made.run_id },
    ...{ tenant: made.tenant, orbiset_id: made.orbiset_id, orb_id: made.orb_id, status: made.status },
    ...{ origin: made.log.origin, timestamp: made.finished_at, kid: made.issuer.kid },
    ...{ trust_score: made.score.trust_score, risk_level: made.score.risk_level },
  };
}

function connectionOf(driver: Driver.Database): Connection {
  return {
    prepare(sql) {
      const statement = driver.prepare<Value[], Record<string, Value>>(sql);
      return {
        queue: function storeQueue(...values) {
          statement.run(...values);
        },
        must: function storeMust(...values) {
          statement.run(...values);
        },
        run: function storeRun(...values) {
          return statement.run(...values).changes;
        },
        get: function storeGet(...values) {
          return statement.get(...values);
        },
        all: function storeAll(...values) {
          return statement.all(...values);
        },
      };
    },
  };
}
