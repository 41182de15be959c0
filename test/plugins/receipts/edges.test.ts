import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Connection, Value } from '../../../kernel/index.ts';
import { privateKeyOf, rawPublicKey, signWith } from '../../../plugins/receipts/format/ed25519.ts';
import { storeSource } from '../../../plugins/receipts/fsck/store-source.ts';
import { checkTree } from '../../../plugins/receipts/fsck/tree.ts';
import { Frontier } from '../../../plugins/receipts/log/pure/frontier.ts';
import { emptyRoot, hashLeaf } from '../../../plugins/receipts/log/pure/tree.ts';
import { partialTiles } from './log/partial-tiles.ts';
import { noteKey } from '../../../plugins/receipts/log/pure/note.ts';
import { logReads, nativeSha256 } from '../../../plugins/receipts/log/stored/tables.ts';
import { LogWriter } from '../../../plugins/receipts/log/stored/writer.ts';
import { consistencyAtSizes, inclusionAtSize } from '../../../plugins/receipts/log/stored/read-proof.ts';
import { rejection } from '../../helpers/stores/open.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { vectors } from './sample.ts';

const seed = privateKeyOf(Buffer.from(vectors.keys.log_seed_hex, 'hex'));
const key = noteKey(vectors.keys.log_name, rawPublicKey(seed));
const entryOf = (index: number) => Buffer.from(`entry ${index}`);
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** A log in memory that is filled up to a size in large batches, and can fail in the middle of one. */
async function filled(size: number) {
  const driver = new Driver(':memory:');
  for (const migration of receiptsStore.migrations) driver.exec(migration);
  driver
    .prepare(
      "INSERT INTO receipts_logs (log, shard, origin, kid, size, root, status, created_at) VALUES (1, '0', ?, 'kid', 0, ?, 'active', 0)",
    )
    .run(key.name, Buffer.from(emptyRoot));
  const fault = { statement: '' };
  const connection: Connection = {
    prepare(sql) {
      const statement = driver.prepare<Value[], Record<string, Value>>(sql);
      const run = (...values: readonly Value[]): number => {
        if (fault.statement !== '' && sql.includes(fault.statement)) throw new Error('the disk fails');
        return statement.run(...values).changes;
      };
      return {
        queue: (...values) => void run(...values),
        must: (...values) => void run(...values),
        run,
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      };
    },
  };
  const reads = logReads(connection);
  const row = () => reads.logs()[0] ?? expect.fail('no log');
  const signer = { key, sign: (text: Uint8Array) => signWith(seed, text) };
  const writer = await LogWriter.open({ connection, direct: connection, reads }, row(), signer);
  let next = 0;
  const append = async (count: number): Promise<void> => {
    driver.exec('BEGIN');
    try {
      for (let at = 0; at < count; at++) writer.add(entryOf(next + at));
      writer.seal();
      driver.exec('COMMIT');
      writer.settle();
      next += count;
    } catch (error) {
      driver.exec('ROLLBACK');
      await writer.reset();
      throw error;
    }
  };
  while (next < size) await append(Math.min(256, size - next));
  return { append, fault, reads, row };
}

describe('the log at the edges of its tiles', () => {
  for (const edge of [256, 65_536])
    it(`grows from ${edge - 2} to ${edge + 2} by one, a batch failing before each, and is whole at every size`, async () => {
      const log = await filled(edge - 2);
      let tree = Frontier.empty(nativeSha256).append(
        Array.from({ length: edge - 2 }, (_, at) => hashLeaf(entryOf(at), nativeSha256)),
      );
      for (let size = edge - 1; size <= edge + 2; size++) {
        for (const statement of ['INTO receipts_entries', 'UPDATE receipts_checkpoints', 'UPDATE receipts_logs']) {
          log.fault.statement = statement;
          expect(String(await rejection(log.append(3)))).to.contain('the disk fails');
        }
        log.fault.statement = '';
        await log.append(1);
        tree = tree.append([hashLeaf(entryOf(size - 1), nativeSha256)]);
        expect([log.row().size, base64(log.row().root)]).to.deep.equal([size, base64(tree.root())]);
        const { checkpoint, flaws } = await checkTree(storeSource(log.reads, log.row()), {
          keys: [key],
          seen: () => [],
          progress: () => () => undefined,
        });
        expect([checkpoint?.size, flaws]).to.deep.equal([BigInt(size), []]);
        for (const { level, n, width } of partialTiles(size))
          expect(log.reads.tile(1, { level, n, width }).length, `tile ${level}/${n}`).to.equal(32 * width);
        const root = base64(tree.root());
        for (const index of [0, edge - 2, size - 1])
          expect(inclusionAtSize(log.reads, log.row(), index, size).root).to.equal(root);
        expect(consistencyAtSizes(log.reads, log.row(), edge - 2, size).to_root).to.equal(root);
      }
    }).timeout(120_000);
});
