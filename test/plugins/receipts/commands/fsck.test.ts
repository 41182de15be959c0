import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { verifyCommand } from '../../../../plugins/receipts/commands/verify.ts';
import { tilePath } from '../../../../plugins/receipts/log/pure/tree.ts';
import { until } from '../../../helpers/until.ts';
import { logFile } from '../fsck/log-files.ts';
import { runCommand } from '../../../helpers/command.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';

const admin = { tenant: 'default', scopes: ['*'] };

interface Result {
  exit: number;
  flaws: { where: string; what: string }[];
  logs: { origin: string; size?: number }[];
}

const copyAt = (idx: string): string =>
  `INSERT INTO receipts_receipts (receipt_id, kind, origin, payload, signature, kid, digest, timestamp, log, idx)
   SELECT 'rec_copy', kind, origin, payload, signature, kid, digest, timestamp, log, ${idx}
   FROM receipts_receipts WHERE idx = 499`;

describe('orb log fsck', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  const size = 600;

  before(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
    for (let at = 3; at < size; at += 46)
      await Promise.all(Array.from({ length: Math.min(46, size - at) }, () => receipts.attest(newRun(`o${at % 3}`))));
    await receipts.stop();
    receipts = await startReceipts(dir.path);
    // It is copied once after a start, which must not come between a test and its edit.
    const copy = join(dir.path, 'checkpoint');
    rmSync(copy);
    await until(
      () => existsSync(copy),
      (found) => found,
    );
  });
  after(async () => {
    await receipts.stop();
    dir.remove();
  });

  async function fsck(args: string[] = [], options: CommandCall['options'] = {}): Promise<Result> {
    const { exit, value } = await runCommand<Result>(fsckCommand, dir.path, args, { options });
    return { ...value, exit };
  }

  /** Runs an edit on the store, checks, and takes the edit back. */
  async function damaged(edit: string): Promise<Result> {
    const database = new Driver(join(dir.path, 'store.db'));
    const tables = [
      'receipts_entries',
      'receipts_tiles',
      'receipts_checkpoints',
      'receipts_receipts',
      'receipts_shapes',
    ];
    const undo = tables.map((table) => {
      const rows = database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw().all() as unknown[][];
      return { table, rows };
    });
    database.exec(edit);
    try {
      return await fsck();
    } finally {
      for (const { table, rows } of undo) {
        database.exec(`DELETE FROM ${table}`);
        const insert = database.prepare(`INSERT INTO ${table} VALUES (${Array(rows[0]?.length).fill('?').join()})`);
        for (const row of rows) insert.run(...row);
      }
      database.close();
    }
  }

  it('finds a whole store to be whole, and remembers the checkpoint', async () => {
    const result = await fsck();
    expect([result.exit, result.flaws, result.logs.map((log) => log.size)]).to.deep.equal([0, [], [size]]);
    expect(readFileSync(join(dir.path, 'seen-checkpoints.json'), 'utf8')).to.include(`"size": "${size}"`);
  });

  it('finds a store to be of before when the newest checkpoint of its state dir is of a log it does not hold', async () => {
    const copy = join(dir.path, 'checkpoint');
    const note = readFileSync(copy, 'utf8');
    writeFileSync(copy, note.replaceAll('/receipts/0', '/receipts/1'));
    const { exit, flaws } = await fsck();
    writeFileSync(copy, note);
    expect([exit, flaws.map(({ where }) => where)]).to.deep.equal([5, ['checkpoint']]);
  });

  for (const [name, edit, where] of [
    [
      'entry in a full tile',
      "UPDATE receipts_entries SET entry = CAST(replace(entry, 'kind', 'kinf') AS BLOB) WHERE idx = 5",
      'entry 5',
    ],
    [
      'entry after the last full tile',
      "UPDATE receipts_entries SET entry = CAST(replace(entry, 'kind', 'kinf') AS BLOB) WHERE idx = 599",
      'entry 599',
    ],
    [
      'hash in a tile',
      'UPDATE receipts_tiles SET hashes = CAST(zeroblob(32) || substr(hashes, 33) AS BLOB) WHERE level = 0 AND n = 1',
      'tile/0/001',
    ],
    [
      'hash in a tile above',
      'UPDATE receipts_tiles SET hashes = CAST(substr(hashes, 1, 32) || zeroblob(32) AS BLOB) WHERE level = 1',
      'tile/1/000',
    ],
    [
      'checkpoint',
      `UPDATE receipts_checkpoints SET note = replace(note, '${size}', '${size - 1}') WHERE size = ${size}`,
      'checkpoint',
    ],
    [
      'signature of the checkpoint',
      `UPDATE receipts_checkpoints SET note = replace(note, 'receipts/0 ', 'receipts/0 AAAA') WHERE size = ${size}`,
      'checkpoint',
    ],
    [
      'payload of a row',
      "UPDATE receipts_receipts SET payload = CAST(replace(payload, 'run_', 'ruN_') AS BLOB) WHERE idx = 77",
      'receipt rec_',
    ],
    [
      'shape of statements',
      "UPDATE receipts_shapes SET text = replace(text, 'smtp-main', 'smtp-mein')",
      'receipt rec_',
    ],
    ['copy in a row', 'UPDATE receipts_receipts SET trust_score = 99 WHERE idx = 77', 'receipt rec_'],
    ['place in a row', 'UPDATE receipts_receipts SET idx = 78 WHERE idx = 77', 'receipt rec_'],
    ['chain', 'UPDATE receipts_receipts SET sequence = 1000 WHERE idx = 599', 'receipt rec_'],
    ['lost row', 'DELETE FROM receipts_receipts WHERE idx = 77', 'receipt rec_'],
    ['set of rows: one more, without a place', copyAt('NULL'), 'receipt rec_copy'],
    // The last row of the first batch that is read.
    ['set of rows: one more at the place of another', copyAt('499'), 'receipt rec_copy'],
    ['lost last row', 'DELETE FROM receipts_receipts WHERE idx = 599', 'receipts'],
    ['lost entry', 'DELETE FROM receipts_entries WHERE idx = 300', 'tile/entries/001'],
  ] as const)
    it(`points at a changed ${name}`, async () => {
      const { exit, flaws } = await damaged(edit);
      expect(exit, JSON.stringify(flaws)).to.be.oneOf([1, 2]);
      const places = where === 'entry 599' ? flaws.map((flaw) => flaw.where) : [flaws[0]?.where ?? ''];
      expect(
        places.some((place) => place.includes(where)),
        JSON.stringify(flaws.slice(0, 3)),
      ).to.equal(true);
    });

  const paths = [
    'checkpoint',
    ...[0, 1].flatMap((n) => [tilePath({ level: 'entries', n, width: 256 }), tilePath({ level: 0, n, width: 256 })]),
    tilePath({ level: 'entries', n: 2, width: 88 }),
    tilePath({ level: 0, n: 2, width: 88 }),
    tilePath({ level: 1, n: 0, width: 2 }),
  ];

  it('checks a log by its address alone, with pinned keys, and waits when it asks too often', async () => {
    const flip = { path: '' };
    const asked = new Set<string>();
    const server: Server = createServer((request, response) => {
      const path = (request.url ?? '').slice('/log/'.length);
      // Each path is refused once, as a server does that is asked too often.
      if (!asked.has(path)) {
        asked.add(path);
        response.writeHead(429, { 'retry-after': '0' }).end();
        return;
      }
      logFile(receipts, path).then(
        (body) => {
          const bytes = Buffer.from(body);
          if (path === flip.path) bytes[100] = (bytes[100] ?? 0) ^ 1;
          response.end(bytes);
        },
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`;
    try {
      const whole = await fsck([url]);
      expect([whole.exit, whole.flaws]).to.deep.equal([0, []]);
      flip.path = tilePath({ level: 'entries', n: 0, width: 256 });
      expect((await fsck([url])).flaws[0]?.where).to.equal('entry 0');
      const policy = join(dir.path, 'policy');
      writeFileSync(policy, 'quorum none\n');
      flip.path = '';
      const unpinned = await fsck([url], { policy });
      expect([unpinned.exit, unpinned.flaws[0]?.where]).to.deep.equal([3, 'checkpoint']);
    } finally {
      server.close();
    }
    expect((await fsck([url])).exit).to.equal(3);
  });

  async function mirrored(): Promise<string> {
    const folder = join(dir.path, 'export');
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), await logFile(receipts, path));
    }
    return folder;
  }

  it('names the file of a log that holds more or less than its name says', async () => {
    const folder = await mirrored();
    const resized: readonly (readonly [string, (body: Buffer) => Buffer])[] = [
      ['has a hash more', (body) => Buffer.concat([body, Buffer.alloc(32)])],
      ['lacks a hash', (body) => body.subarray(0, -32)],
    ];
    const tiles = [
      { level: 0, n: 0, width: 256 },
      { level: 0, n: 2, width: 88 },
      { level: 1, n: 0, width: 2 },
    ].map(tilePath);
    for (const path of tiles)
      for (const [name, change] of resized) {
        const whole = readFileSync(join(folder, path));
        writeFileSync(join(folder, path), change(whole));
        const { exit, flaws } = await fsck([folder]);
        const what = `holds ${change(whole).length} bytes instead of ${whole.length}`;
        expect([exit, flaws], `${path} ${name}`).to.deep.equal([1, [{ exit: 1, where: path, what }]]);
        writeFileSync(join(folder, path), whole);
      }
    const bundle = tilePath({ level: 'entries', n: 2, width: 88 });
    const whole = readFileSync(join(folder, bundle));
    writeFileSync(join(folder, bundle), Buffer.concat([whole, Buffer.from([0, 1, 7])]));
    const what = 'contains 89 entries instead of 88';
    expect((await fsck([folder])).flaws).to.deep.equal([{ exit: 1, where: bundle, what }]);
    writeFileSync(join(folder, bundle), whole);
    expect((await fsck([folder])).exit).to.equal(0);
  });

  it('cuts a partial tile that is gone from the full one', async () => {
    const folder = await mirrored();
    const partial = { level: 1, n: 0, width: 2 };
    rmSync(join(folder, tilePath(partial)));
    const full = join(folder, tilePath({ ...partial, width: 256 }));
    const hashes = Buffer.from(await logFile(receipts, tilePath(partial)));
    writeFileSync(full, Buffer.concat([hashes, Buffer.alloc(254 * 32)]));
    expect((await fsck([folder])).exit).to.equal(0);
    writeFileSync(full, Buffer.concat([hashes, Buffer.alloc(253 * 32)]));
    expect((await fsck([folder])).flaws.map(({ where }) => where)).to.deep.equal([tilePath(partial)]);
    rmSync(folder, { recursive: true });
  });

  it('checks a folder, and refuses a log that forgot or changed what was seen before: exit 5', async () => {
    const folder = await mirrored();
    expect((await fsck([folder])).exit).to.equal(0);
    const seen = join(dir.path, 'seen-checkpoints.json');
    const kept = readFileSync(seen, 'utf8');
    writeFileSync(seen, kept.replace(`"${size}"`, `"${size + 1}"`));
    expect((await fsck([folder])).exit).to.equal(5);
    writeFileSync(seen, kept.replace(/"root": "..../, '"root": "AAAA'));
    expect((await fsck([folder])).exit).to.equal(5);
    writeFileSync(seen, kept.replace(/"root": "..../, '"root": "AAAA').replace(`"${size}"`, '"300"'));
    expect((await fsck([folder])).exit).to.equal(5);
    writeFileSync(seen, kept);
  });

  it('has a receipt of a fork refused by receipts verify: exit 5', async () => {
    const { receipts: list } = (await receipts.call('/receipts', {}, admin, { limit: 1 })) as {
      receipts: { receipt_id: string }[];
    };
    const document = await receipts.call('/receipts/{receipt_id}', list[0] ?? {}, admin);
    const file = join(dir.path, 'receipt.json');
    writeFileSync(file, JSON.stringify(document));
    const verify = async () => (await runCommand(verifyCommand, dir.path, [file])).exit;
    expect(await verify()).to.equal(0);
    const seen = join(dir.path, 'seen-checkpoints.json');
    const kept = readFileSync(seen, 'utf8');
    writeFileSync(seen, kept.replace(/"root": "..../, '"root": "AAAA'));
    expect(await verify()).to.equal(5);
    writeFileSync(seen, kept);
  });

  it('says when there is no store, or no key to check with', async () => {
    const empty = temporaryDir();
    const run = async (stateDir: string, options: CommandCall['options']) =>
      (await runCommand(fsckCommand, stateDir, [], { options })).exit;
    expect(await run(empty.path, {})).to.equal(3);
    expect(await run(empty.path, { keys: join(dir.path, 'jwks.json') })).to.equal(3);
    empty.remove();
  });
});
