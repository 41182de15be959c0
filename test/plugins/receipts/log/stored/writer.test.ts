import Driver from 'better-sqlite3';
import { expect } from 'chai';
import {
  privateKeyOf,
  rawPublicKey,
  signWith,
  verifySignature,
} from '../../../../../plugins/receipts/format/ed25519.ts';
import { connectionOf } from '../../../../helpers/stores/memory.ts';
import { rejection } from '../../../../helpers/stores/open.ts';
import { parseCheckpoint, openNote, parseNote, noteKey } from '../../../../../plugins/receipts/log/pure/note.ts';
import { Frontier } from '../../../../../plugins/receipts/log/pure/frontier.ts';
import { emptyRoot, hashLeaf, hashesAt, tileWidth } from '../../../../../plugins/receipts/log/pure/tree.ts';
import { logReads, type LogReads } from '../../../../../plugins/receipts/log/stored/tables.ts';
import { LogWriter } from '../../../../../plugins/receipts/log/stored/writer.ts';
import { consistencyAtSizes, inclusionAtSize } from '../../../../../plugins/receipts/log/stored/read-proof.ts';
import receiptsStore from '../../../../../plugins/receipts/store.ts';
import { verifyConsistency, verifyInclusion } from '../../../../../plugins/receipts/log/pure/verify-proof.ts';
import { vectors } from '../../sample.ts';

const seed = privateKeyOf(Buffer.from(vectors.keys.log_seed_hex, 'hex'));
const key = noteKey(vectors.keys.log_name, rawPublicKey(seed));
const signer = { key, sign: (text: Uint8Array) => signWith(seed, text) };
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const entryOf = (index: number) => Buffer.from(`entry ${index}`);

interface Log {
  readonly driver: Driver.Database;
  readonly reads: LogReads;
  readonly open: () => Promise<LogWriter>;
  root(): string;
}

/** A log of its own in memory, on the tables of the plugin. */
function emptyLog(): Log {
  const driver = new Driver(':memory:');
  for (const migration of receiptsStore.migrations) driver.exec(migration);
  driver
    .prepare(
      `INSERT INTO receipts_logs (log, shard, origin, kid, size, root, status, created_at) VALUES (1, '0', ?, 'kid', 0, ?, 'active', 0)`,
    )
    .run(key.name, Buffer.from(emptyRoot));
  const connection = connectionOf(driver);
  const reads = logReads(connection);
  const row = () => reads.logs()[0] ?? expect.fail('no log');
  return {
    driver,
    reads,
    open: () => LogWriter.open({ connection, direct: connection, reads }, row(), signer),
    root: () => Buffer.from(row().root).toString('base64'),
  };
}

function append(writer: LogWriter, from: number, to: number): void {
  for (let index = from; index < to; index++) expect(writer.add(entryOf(index))).to.equal(index);
  writer.seal();
  writer.settle();
}

const rootOfEntries = (size: number): string => {
  const leaves = Array.from({ length: size }, (_, index) => hashLeaf(entryOf(index)));
  return Buffer.from(Frontier.empty().append(leaves).root()).toString('base64');
};

describe('the writer of the log', () => {
  const size = 600;

  it('yields one root, the same tiles and the same proofs, in batches of 1, 7 and 256', async () => {
    const grown = async (batch: number) => {
      const log = emptyLog();
      const writer = await log.open();
      for (let from = 0; from < size; from += batch) append(writer, from, Math.min(size, from + batch));
      const tiles = log.driver.prepare('SELECT level, n, hex(hashes) FROM receipts_tiles ORDER BY level, n').all();
      const [row] = log.reads.logs();
      return { root: log.root(), tiles, proof: inclusionAtSize(log.reads, row ?? expect.fail(), 300, size) };
    };
    const all = [await grown(1), await grown(7), await grown(256)];
    expect(all[0]?.root).to.equal(rootOfEntries(size));
    expect(all[1]).to.deep.equal(all[0]);
    expect(all[2]).to.deep.equal(all[0]);
  }).timeout(60_000);

  it('goes on, opened again at any size, as if it had never been closed; tile edges included', async () => {
    const log = emptyLog();
    let at = 0;
    for (const next of [1, 2, 3, 254, 255, 256, 257, 300, 511, 512, 513]) {
      append(await log.open(), at, next);
      at = next;
      expect(log.root()).to.equal(rootOfEntries(next));
      const full = log.driver.prepare('SELECT count(*) AS tiles FROM receipts_tiles WHERE level = 0').get();
      expect(full).to.deep.equal({ tiles: Math.floor(next / tileWidth) });
      expect(log.reads.tile(1, { level: 1, n: 0, width: hashesAt(1, next) }).length).to.equal(32 * hashesAt(1, next));
    }
  });

  it('signs a checkpoint per batch, over exactly what was written, and keeps the newest', async () => {
    const log = emptyLog();
    const writer = await log.open();
    for (const [from, to] of [
      [0, 5],
      [5, 9],
    ] as const) {
      append(writer, from, to);
      const notes = log.driver.prepare('SELECT size, note FROM receipts_checkpoints').all();
      expect(notes).to.have.length(1);
      const { note, size: signed } = notes[0] as { size: number; note: string };
      expect(signed).to.equal(to);
      const parsed = parseNote(note) ?? expect.fail('no note');
      expect(openNote(parsed, [key], verifySignature)).to.deep.equal({ by: [key] });
      const checkpoint = parseCheckpoint(parsed.text);
      expect(checkpoint?.size).to.equal(BigInt(signed));
      expect(Buffer.from(checkpoint?.root ?? []).toString('base64')).to.equal(rootOfEntries(signed));
    }
  });

  it('proves from the stored rows at every size it ever had', async () => {
    const log = emptyLog();
    append(await log.open(), 0, 520);
    const row = log.reads.logs()[0] ?? expect.fail();
    for (const [index, at] of [
      [0, 1],
      [3, 255],
      [255, 256],
      [255, 257],
      [256, 257],
      [511, 520],
      [100, 519],
    ] as const) {
      const proof = inclusionAtSize(log.reads, row, index, at);
      expect(proof.root).to.equal(rootOfEntries(at));
      const claim = { index: BigInt(index), size: BigInt(at), leaf: hashLeaf(entryOf(index)), root: bytes(proof.root) };
      expect(verifyInclusion({ ...claim, hashes: proof.hashes.map(bytes) })).to.equal(true);
      const { from_root, hashes, to_root } = consistencyAtSizes(log.reads, row, at, 520);
      const roots = { fromRoot: bytes(from_root), toRoot: bytes(to_root) };
      expect(verifyConsistency({ from: BigInt(at), to: 520n, ...roots, hashes: hashes.map(bytes) })).to.equal(true);
    }
  });

  it('refuses to sign when a bit flipped between writing and signing, and when a row is lost or doubled', async () => {
    for (const damage of [
      "UPDATE receipts_entries SET entry = CAST('entry X' AS BLOB) WHERE idx = 2",
      'DELETE FROM receipts_entries WHERE idx = 2',
      "INSERT INTO receipts_entries VALUES (1, 3, CAST('more' AS BLOB))",
    ]) {
      const log = emptyLog();
      const writer = await log.open();
      for (let index = 0; index < 3; index++) writer.add(entryOf(index));
      log.driver.exec(damage);
      expect(() => writer.seal()).to.throw(/entr/);
      expect(log.reads.newestCheckpoint(1)).to.equal(undefined);
      expect(log.reads.logs()[0]?.size).to.equal(0);
    }
  });

  it('refuses to sign when another has moved the head, or the log is frozen', async () => {
    for (const damage of [
      'UPDATE receipts_logs SET size = 4',
      'UPDATE receipts_logs SET root = zeroblob(32)',
      "UPDATE receipts_logs SET status = 'frozen'",
    ]) {
      const log = emptyLog();
      const writer = await log.open();
      append(writer, 0, 3);
      log.driver.exec(damage);
      writer.add(entryOf(3));
      expect(() => writer.seal()).to.throw(/head/);
    }
  });

  it('refuses to be opened with a tile that was cut short or is gone, and mends it while it is open', async () => {
    for (const damage of [
      'UPDATE receipts_tiles SET hashes = substr(hashes, 1, 32) WHERE level = 1',
      'DELETE FROM receipts_tiles WHERE level = 1',
    ]) {
      const log = emptyLog();
      const writer = await log.open();
      append(writer, 0, 512);
      append(writer, 512, 767);
      log.driver.exec(damage);
      expect(String(await rejection(log.open())), damage).to.contain('truncated');
      append(writer, 767, 768);
      expect(log.root()).to.equal(rootOfEntries(768));
      expect(log.reads.tile(1, { level: 1, n: 0, width: 3 })).to.have.length(96);
      append(await log.open(), 768, 769);
    }
  });

  it('moves its head with its checkpoint alone where no row is updated with each batch', async () => {
    const log = emptyLog();
    log.driver.exec('UPDATE receipts_logs SET size = -1');
    for (const [from, to] of [
      [0, 3],
      [3, 300],
      [300, 301],
    ] as const) {
      append(await log.open(), from, to);
      expect([log.root(), log.reads.logs()[0]?.size]).to.deep.equal([rootOfEntries(to), to]);
    }
    const rows = log.driver.prepare('SELECT l.size AS head, c.size FROM receipts_logs AS l, receipts_checkpoints AS c');
    expect(rows.all()).to.deep.equal([{ head: -1, size: 301 }]);
    for (const damage of ['DELETE FROM receipts_checkpoints', "UPDATE receipts_logs SET status = 'frozen'"]) {
      const writer = await log.open();
      log.driver.exec(`BEGIN; ${damage}`);
      writer.add(entryOf(301));
      expect(() => writer.seal(), damage).to.throw('another write came first');
      log.driver.exec('ROLLBACK');
    }
  });

  it('forgets an abandoned batch, and gives its indexes to the next one', async () => {
    const log = emptyLog();
    const writer = await log.open();
    append(writer, 0, 300);
    log.driver.exec('BEGIN');
    for (let index = 0; index < 250; index++) writer.add(Buffer.from('abandoned'));
    writer.seal();
    log.driver.exec('ROLLBACK');
    await writer.reset();
    append(writer, 300, 520);
    expect(log.root()).to.equal(rootOfEntries(520));
  });
});
