import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { exportFiles, type ExportScope } from '../../../../plugins/receipts/export/content.ts';
import { readManifest } from '../../../../plugins/receipts/export/folder.ts';
import type { Manifest } from '../../../../plugins/receipts/export/manifest.ts';
import { tar } from '../../../../plugins/receipts/export/tar.ts';
import { checkExport } from '../../../../plugins/receipts/fsck/export-source.ts';
import type { Reply } from '../../../../kernel/index.ts';
import type { KeySet } from '../../../../plugins/receipts/format/jwk.ts';
import { logKeys } from '../../../../plugins/receipts/read/log-routes.ts';
import receiptsStore, { type Reads } from '../../../../plugins/receipts/store.ts';
import { verifyFolder } from '../../../../plugins/receipts/export/verify-folder.ts';
import { trustOf } from '../../../../plugins/receipts/verifier/trust.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';
import { rotate } from '../signing-keys.ts';
import { extracted } from './extracted.ts';
import { readsNow } from '../../../helpers/reads.ts';

const mostBytes = 120_000;

describe('an export as it leaves', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let reads: Reads;
  let keys: KeySet;
  let keysOfLogs: Awaited<ReturnType<typeof logKeys>>;

  beforeEach(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
    await Promise.all(Array.from({ length: 600 }, () => receipts.attest(newRun())));
    reads = readsNow(receipts.store, receiptsStore);
    keysOfLogs = await logKeys(reads);
    keys = ((await receipts.call('/.well-known/jwks.json', {})) as Reply).body as KeySet;
  });
  afterEach(async () => {
    await receipts.stop();
    dir.remove();
  });

  /** The archive over reads that are counted. */
  function archive() {
    const asked = { rows: 0, most: 0, entries: 0 };
    const aside = receipts.store.awaitedReads(receiptsStore);
    const lists: ExportScope['lists'] = {
      async exportRows(log, filter, window) {
        asked.rows++;
        const rows = await aside.exportRows(log, filter, window);
        asked.most = Math.max(asked.most, rows.length);
        return rows;
      },
    };
    const counted: Reads = {
      ...reads,
      entries(log, first, count) {
        asked.entries = Math.max(asked.entries, count);
        return reads.entries(log, first, count);
      },
    };
    const { installation } = receipts.store;
    const files = exportFiles({
      ...{ reads: counted, lists, keys, logKeys: keysOfLogs, installation, filter: {}, tiles: true },
      at: new Date(0).toISOString(),
    });
    return { asked, stream: tar(files, 0) };
  }

  it('holds no more than a page of rows, a bundle of entries and one file, however long it is', async () => {
    const { asked, stream } = archive();
    let total = 0;
    for await (const chunk of stream) {
      expect(chunk.length).to.be.lessThan(mostBytes);
      expect(chunk.length % 512).to.equal(0);
      total += chunk.length;
    }
    expect(total).to.be.greaterThan(600 * 5000);
    expect(asked.most).to.be.at.most(32);
    expect(asked.entries).to.be.at.most(256);
  }).timeout(60_000);

  it('ends when nobody reads on: nothing more is asked of the store', async () => {
    const { asked, stream } = archive();
    const parts = Readable.from(stream, { objectMode: true, highWaterMark: 4 });
    for (let at = 0; at < 40; at++) if (parts.read() === null) await once(parts, 'readable');
    parts.destroy();
    await once(parts, 'close');
    const after = asked.rows;
    expect(after).to.be.lessThan(10);
    expect(await stream.next()).to.deep.equal({ value: undefined, done: true });
    expect(asked.rows).to.equal(after);
  }).timeout(60_000);

  it('is of one moment: what is attested meanwhile is not in it, and what is in it is proved', async () => {
    const { stream } = archive();
    const before = reads.logs()[0]?.size ?? 0;
    let names = 0;
    for await (const chunk of stream) {
      const name = Buffer.from(chunk.subarray(0, 100)).toString();
      if (name.startsWith('receipts/')) names++;
      if (names === 10) await receipts.attest(newRun());
    }
    expect(names).to.equal(before);
  }).timeout(60_000);

  it('waits for a slow reader without holding others up', async () => {
    const { stream } = archive();
    let turns = 0;
    let reading = true;
    const others = (async () => {
      while (reading) {
        turns++;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for await (const chunk of stream) expect(chunk.length).to.be.greaterThan(0);
    reading = false;
    await others;
    // Once a page at least.
    expect(turns).to.be.greaterThan(600 / 32);
  }).timeout(60_000);

  it('holds every shard of the log, and is not whole without one whose key is pinned', async () => {
    await rotate(receipts, 'log');
    await receipts.attest(newRun());
    const folder = await extracted(receipts, dir.path);
    const later = ((await receipts.call('/.well-known/jwks.json', {})) as Reply).body as KeySet;
    const trust = trustOf(later.keys);
    const report = await verifyFolder(folder, trust, { verifySignature });
    expect([report.overall, report.limits]).to.deep.equal(['VERIFIED', []]);
    expect(report.logs.map(({ origin }) => origin.slice(-1))).to.deep.equal(['0', '1']);
    const source = { folder, manifest: (await readManifest(folder)) ?? expect.fail() };
    const known = { keys: trust.policy?.logs ?? [], seen: () => [], progress: () => () => undefined };
    const checked = await checkExport(source, { ...known, trust, expected: { pinned: [], remembered: [] } });
    expect(checked.map(({ flaws, origin }) => [origin?.slice(-1), flaws])).to.deep.equal([
      ['0', []],
      ['1', []],
    ]);
    rmSync(join(folder, 'receipts/1'), { recursive: true });
    const path = join(folder, 'export.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    writeFileSync(path, JSON.stringify({ ...manifest, logs: manifest.logs.slice(0, 1) }));
    const cut = await verifyFolder(folder, trust, { verifySignature });
    expect([cut.overall, cut.limits.join()]).to.deep.equal([
      'VERIFIED-WITH-LIMITS',
      `completeness: not checked: the key of ${receipts.store.installation}.orb/receipts/1 is pinned, but no receipt is from this log`,
    ]);
  }).timeout(120_000);
});
