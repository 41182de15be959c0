import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { inFolder, readableOf } from '../../../plugins/ledger/commands/contents.ts';
import type { SnapshotRef } from '../../../plugins/ledger/contract.ts';
import { readLine } from '../../../plugins/ledger/fact/line.ts';
import { entryLines, factLines } from '../../../plugins/ledger/replay/export-lines.ts';
import { replay } from '../../../plugins/ledger/replay/replay.ts';
import { scoringDocument, scoringPolicy } from '../../../plugins/ledger/score/model.ts';
import { openLedger, type OpenedLedger } from './opened.ts';
import { liveThrough } from './scenario.ts';
import { syntheticLog, type SyntheticLog } from './synthetic-log.ts';
import { need } from '../../helpers/needs.ts';

const days = 45;
const script = fileURLToPath(new URL('outsider.py', import.meta.url));

describe('replaying the ledger', function () {
  this.timeout(120_000);
  let log: SyntheticLog;
  let ledger: OpenedLedger;
  let snapshots: readonly SnapshotRef[];
  before(async () => {
    log = syntheticLog();
    ledger = await openLedger(log);
    await liveThrough(log, ledger, 0, days);
    snapshots = await ledger.reads.snapshotsAfter('', 1000);
  });
  after(() => ledger.close());

  const lines = () => log.entries.map(readLine);

  it('took one snapshot per day, and the scenario went through tiers and suspensions', async () => {
    expect(snapshots).to.have.length(days);
    const events = (await ledger.service.tierEvents('notify.email@1.0.0')).map(({ change, to }) => `${change} ${to}`);
    expect(events).to.include.members(['promoted bronze', 'promoted silver', 'suspended none', 'restored gold']);
    expect(new Set(snapshots.map(({ digest }) => digest)).size).to.equal(days);
  });

  it('gives the same digest for every snapshot', async () => {
    const report = await replay({ logs: log.heads(), snapshots, lines });
    expect(report.differences).to.deep.equal([]);
    expect([...report.digests]).to.deep.equal(snapshots.map(({ day, digest }) => [day, digest]));
  });

  it('gives the same digests when the entries come in any order, and twice', async () => {
    const random = seeded(7);
    const shuffled = [...lines(), ...lines()]
      .map((line) => ({ line, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ line }) => line);
    const report = await replay({ logs: log.heads(), snapshots, lines: () => shuffled });
    expect(report.differences).to.deep.equal([]);
    expect([...report.digests.values()]).to.deep.equal(snapshots.map(({ digest }) => digest));
  });

  it('names the first entry that is missing', async () => {
    const cut = lines().filter((_, at) => at !== 100);
    const { differences } = await replay({ logs: log.heads(), snapshots, lines: () => cut });
    expect(differences[0]).to.equal(`the entry ${log.heads()[0]?.origin} 100 is missing`);
  });

  it('names a snapshot whose digest is another', async () => {
    const changed = lines().map((line) =>
      line.kind === 'standing' && line.change === 'snapshot' && line.day === snapshots[3]?.day
        ? { ...line, digest: `sha256:${'0'.repeat(64)}` }
        : line,
    );
    const { differences } = await replay({ logs: log.heads(), snapshots, lines: () => changed });
    expect(differences).to.have.length(1);
    expect(differences[0]).to.match(new RegExp(`^the snapshot of ${snapshots[3]?.day} `));
  });

  it('names an entry whose class disagrees with its facts', async () => {
    const changed = lines().map((line, at) =>
      at === 50 && line.kind === 'run' ? { ...line, outcome_class: 'caller_fault' as const } : line,
    );
    const { differences } = await replay({ logs: log.heads(), snapshots, lines: () => changed });
    expect(differences[0]).to.match(/^the entry .* 50 \(rec_.*\) is refused: outcome_class$/);
  });

  it('a ledger whose tables were deleted folds the log again to the same snapshots, rows and events', async () => {
    const before = tablesOf(ledger.stateDir);
    await ledger.close({ keep: true });
    const database = new Database(join(ledger.stateDir, 'store.db'));
    const projection = [
      'cursors',
      'deciders',
      'caller_days',
      'minutes',
      'days',
      'documents',
      'events',
      'snapshots',
      'snapshot_orbs',
    ];
    for (const table of projection) database.exec(`DELETE FROM ledger_${table}`);
    database.close();
    ledger = await openLedger(log, { stateDir: ledger.stateDir, day: days });
    await ledger.catchUp();
    expect(await ledger.reads.snapshotsAfter('', 1000)).to.deep.equal(snapshots);
    expect(ledger.ledger.health()).to.deep.equal({ health: 'up' });
    expect(tablesOf(ledger.stateDir)).to.deep.equal(before);
  });

  describe('by an outsider, in Python', () => {
    let folder: string;
    before(function () {
      need(this, 'python3');
    });
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'orb-export-'));
      await writeExport(folder, log, snapshots);
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const outsider = () => spawnSync('python3', [script, folder, join(folder, 'jwks.json')], { encoding: 'utf8' });
    const edit = (file: string, change: (lines: string[]) => string[]): void => {
      const path = join(folder, file);
      writeFileSync(path, `${change(readFileSync(path, 'utf8').trimEnd().split('\n')).join('\n')}\n`);
    };

    it('agrees on every bit', () => {
      const { status, stdout, stderr } = outsider();
      expect([status, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.equal(`${log.entries.length} entries, ${days} snapshots: all agree\n`);
    });

    it('and so does the command, from the same folder', async () => {
      const { contents, entries } = await inFolder(folder);
      const read = async function* () {
        for await (const entry of entries()) yield readLine(readableOf(entry));
      };
      const report = await replay({ ...contents, lines: read });
      expect([report.differences, report.digests.size]).to.deep.equal([[], days]);
    });

    const tampered: readonly {
      readonly name: string;
      readonly file: string;
      readonly change: (l: string[]) => string[];
    }[] = [
      { name: 'a fact is missing', file: 'facts.ndjson', change: (all) => all.filter((_, at) => at !== 20) },
      { name: 'an entry is missing', file: 'entries.ndjson', change: (all) => all.filter((_, at) => at !== 20) },
      { name: 'the last fact and entry are missing', file: 'facts.ndjson', change: (all) => all.slice(0, -1) },
      {
        name: 'one field of a fact is another',
        file: 'facts.ndjson',
        change: (all) => all.map((line, at) => (at === 20 ? line.replace('"ok"', '"orb_fault"') : line)),
      },
      {
        name: 'a leaf is another',
        file: 'entries.ndjson',
        change: (all) => all.map((line, at) => (at === 20 ? withLeaf(line, all[21] ?? '') : line)),
      },
    ];
    for (const { name, file, change } of tampered)
      it(`sees that ${name}`, () => {
        edit(file, change);
        if (name.startsWith('the last')) edit('entries.ndjson', change);
        expect(outsider().status).to.equal(1);
      });

    it('sees a checkpoint of the same tree that its key has not signed, and one whose key is not pinned', () => {
      const path = join(folder, 'checkpoints', '0.txt');
      const note = readFileSync(path, 'utf8');
      const [head = '', encoded = ''] = note.split(/(?<=\u2014 \S+ )/);
      const signature = Buffer.from(encoded, 'base64');
      for (const at of [4, 36, 67]) {
        const flipped = Buffer.from(signature);
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        writeFileSync(path, `${head}${flipped.toString('base64')}\n`);
        expect(outsider().stderr, `byte ${at}`).to.match(/^difference: /);
      }
      writeFileSync(path, `${head.split('\n').slice(0, 3).join('\n')}\n\n`);
      expect(outsider().stderr).to.include('not signed by its pinned key');
      writeFileSync(path, note);
      writeFileSync(join(folder, 'jwks.json'), '{"keys":[]}');
      expect(outsider().stderr).to.include('no key of');
    });

    it('sees one bit of a digest in the list of snapshots', () => {
      const path = join(folder, 'ledger.json');
      const digest = snapshots[10]?.digest ?? '';
      const other = digest.endsWith('0') ? `${digest.slice(0, -1)}1` : `${digest.slice(0, -1)}0`;
      writeFileSync(path, readFileSync(path, 'utf8').replace(digest, other));
      expect(outsider().status).to.equal(1);
    });
  });
});

function withLeaf(line: string, other: string): string {
  const { leaf } = JSON.parse(other) as { leaf: string };
  return JSON.stringify({ ...(JSON.parse(line) as object), leaf });
}

async function writeExport(folder: string, log: SyntheticLog, snapshots: readonly SnapshotRef[]): Promise<void> {
  const logs = log.heads().map(({ origin, tree_size, root_hash }) => ({ origin, tree_size, root_hash }));
  const checkpoints = log.heads().map(({ checkpoint }) => checkpoint);
  const contents = { logs, checkpoints, scoring: scoringDocument, scoring_policy: scoringPolicy, snapshots };
  for (const [name, value] of Object.entries({
    ledger: contents,
    scoring: scoringDocument,
    snapshots,
    jwks: log.keys(),
  }))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
  mkdirSync(join(folder, 'checkpoints'));
  for (const [shard, { checkpoint }] of log.heads().entries())
    writeFileSync(join(folder, 'checkpoints', `${shard}.txt`), checkpoint);
  const files = [
    ['facts', factLines(log, logs)],
    ['entries', entryLines(log, logs)],
  ] as const;
  for (const [name, texts] of files) {
    let all = '';
    for await (const text of texts) all += text;
    writeFileSync(join(folder, `${name}.ndjson`), all);
  }
}

function tablesOf(stateDir: string): object {
  const database = new Database(join(stateDir, 'store.db'), { readonly: true });
  const rows = (sql: string): object[] =>
    (database.prepare(sql).all() as Record<string, unknown>[]).map((row) =>
      typeof row['body'] === 'string' ? { ...row, body: JSON.parse(row['body']) as object } : row,
    );
  const tables = ['caller_days', 'minutes', 'days', 'documents', 'snapshots', 'snapshot_orbs'];
  const all = Object.fromEntries(tables.map((table) => [table, rows(`SELECT * FROM ledger_${table}`)]));
  const events = rows('SELECT orb_id, body FROM ledger_events ORDER BY number');
  database.close();
  return { ...all, events };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
