import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type pg from 'pg';
import { shippedProgram } from './helpers/program.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { usePostgres } from './helpers/use-postgres.ts';
import { unpack } from './released/pack.ts';

const exitConfig = 78;
const emailOrb = 'notify.email@1.0.0';
const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
const password = 'hidden-word';
/** When the release was used, and a little later. */
const from = Date.UTC(2026, 0, 4, 12, 10);
const clock = { now: () => Math.floor(from + performance.now()), monotonic: () => performance.now() };

type Json = Readonly<Record<string, unknown>>;
type Rows = Readonly<Record<string, readonly string[]>>;

const shown = (row: object): string =>
  JSON.stringify(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : typeof value === 'bigint' ? `${value}` : value,
    ]),
  );

/** All rows of the modules in a file, as texts in order. */
function rowsOfFile(path: string): Rows {
  const file = new Driver(path, { readonly: true });
  const tables = file
    .prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'kernel_%'`)
    .all();
  const rows = tables
    .filter(({ name }) => !name.startsWith('sqlite_'))
    .map(({ name }) => [
      name,
      file.prepare<[], object>(`SELECT * FROM ${name}`).safeIntegers().all().map(shown).sort(),
    ]);
  file.close();
  return Object.fromEntries(rows) as Rows;
}

/** The same of a database. */
async function rowsOfDatabase(client: pg.Client): Promise<Rows> {
  const tables = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_name NOT LIKE 'kernel_%'`,
  );
  const found: Record<string, readonly string[]> = {};
  for (const { name } of tables.rows)
    found[name] = (await client.query<object>(`SELECT * FROM ${name}`)).rows.map(shown).sort();
  return found;
}

interface Said {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in a home; `onSaid` hears what it has said so far. */
function orb(
  home: string,
  args: readonly string[],
  { env = {}, onSaid }: { env?: Json; onSaid?: (err: string, pid: number) => void } = {},
): Promise<Said> {
  const child = spawn(process.execPath, [shippedProgram, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], ORB_HOME: home, ORB_LISTEN: '127.0.0.1:0', ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
    onSaid?.(err, child.pid ?? 0);
  });
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, out, err })));
}

describe('a store that is moved into a database', function () {
  this.timeout(240_000);
  const postgres = usePostgres();
  const homes: string[] = [];
  const release = mkdtempSync(join(tmpdir(), 'orb-move-release-'));
  const saved = (name: string): Json => JSON.parse(readFileSync(join(release, 'saved', `${name}.json`), 'utf8'));

  before(() => unpack(join(import.meta.dirname, 'released/0.1.0.json'), release));
  after(() => {
    for (const home of [release, ...homes]) rmSync(home, { recursive: true, force: true });
  });

  /** A copy of the home that release 0.1.0 left, with rows of every plugin, and an empty database. */
  const beginning = async (database: string) => {
    const home = mkdtempSync(join(tmpdir(), 'orb-move-'));
    homes.push(home);
    cpSync(release, home, { recursive: true });
    const client = await postgres.client(database);
    const url = `postgres://orb:${password}@localhost/${database}?host=${postgres.folder}`;
    const stateDir = join(home, 'data/state');
    return { home, client, url, stateDir, file: join(stateDir, 'store.db') };
  };
  const masterKeyOf = (stateDir: string): string => readFileSync(join(stateDir, 'master.key'), 'utf8').trim();
  const platformOf = (home: string): object =>
    JSON.parse(readFileSync(join(home, 'data/platform.json'), 'utf8')) as object;
  /** Starts the server of a home: on the database, or without an address on the file. */
  const start = (home: string, url?: string): Promise<TestPlatform> =>
    startPlatform({
      ...{ home, clock, platform: platformOf(home) },
      env:
        url === undefined
          ? { ORB_PUBLIC_URL: 'https://orb.example' }
          : {
              ORB_PUBLIC_URL: 'https://orb.example',
              ORB_STORE_URL: url,
              ORB_MASTER_KEY: masterKeyOf(join(home, 'data/state')),
            },
    });

  it('has the same rows, answers as before, and continues its log in a new shard', async () => {
    const { home, client, url, stateDir, file } = await beginning('whole');
    const moved = await orb(home, ['store', 'move', '--to', url]);
    expect(moved.code, moved.err).to.equal(0);
    expect(moved.out).to.match(/^[\d,]+ rows of \d+ tables in .*; the log was checked\.$/m);
    expect(moved.out).to.contain(`ORB_MASTER_KEY  the content of ${stateDir}/master.key`);
    expect(moved.out + moved.err)
      .not.to.contain(password)
      .and.not.to.contain(masterKeyOf(stateDir));
    const rows = rowsOfFile(file);
    expect(Object.values(rows).flat()).to.have.length.above(500);
    expect(await rowsOfDatabase(client)).to.deep.equal(rows);

    const refused = await orb(home, ['serve']);
    expect(refused.code, refused.err).to.equal(exitConfig);
    expect(refused.err).to.contain('was moved to postgres://localhost/whole').and.not.to.contain(password);
    expect((await orb(home, ['doctor'])).out).to.match(/✗ store: was moved to postgres:\/\/localhost\/whole/);
    const old = await orb(home, ['log', 'fsck']);
    expect(old.code, old.out).to.equal(0);

    const platform = await start(home, url);
    try {
      const get = async (path: string) => (await platform.call('GET', path)).body;
      const receipts = Object.entries(saved('receipts') as Record<string, { envelope: object; kid?: string }>);
      expect(receipts).to.have.length.above(80);
      for (const [id, then] of receipts) {
        const now = await get(`/receipts/${id}`);
        expect([now.envelope, now.signature_valid], id).to.deep.equal([then.envelope, true]);
      }
      for (const [name, path] of [
        ['deliveries', '/deliveries?limit=100'],
        ['sources', '/sources'],
        ['swaps', '/swaps?limit=100'],
        ['history', `/reputation/${encodeURIComponent(emailOrb)}/history`],
      ] as const)
        expect(membersOf(saved(name), await get(path)), path).to.deep.equal(saved(name));
      // Orbs that came later have namespaces of their own.
      const then = saved('namespaces') as { namespaces: readonly { namespace: string }[] };
      const now = (await get('/namespaces')) as typeof then;
      const kept = now.namespaces.filter(({ namespace }) => then.namespaces.some((one) => one.namespace === namespace));
      expect(membersOf(then, { ...now, namespaces: kept })).to.deep.equal(then);
      const { billing = '', revoked = '' } = saved('callers') as Record<string, string>;
      expect((await platform.call('GET', '/receipts', undefined, billing)).status).to.equal(200);
      expect((await platform.call('GET', '/receipts', undefined, revoked)).status).to.equal(401);
      const again = await fetch(`${platform.url}/orbisets/default/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${billing}`,
          'content-type': 'application/json',
          'idempotency-key': 'released-email',
        },
        body: JSON.stringify({ orb_id: emailOrb, inputs: email }),
      });
      expect(again.headers.get('idempotent-replayed')).to.equal('true');

      const run = await platform.call('POST', '/orbisets/default/execute', {
        orb_id: 'demo.echo@1.0.0',
        inputs: { text: 'after' },
      });
      const { shards } = await get('/log/shards');
      const origins = shards.map(({ origin }: { origin: string }) => origin);
      expect(shards.map(({ status }: Json) => status)).to.deep.equal(['frozen', 'frozen', 'active']);
      expect(shards[1].successor).to.equal(origins[2]);
      const { proof, signature_valid } = await get(`/receipts/${run.body.receipt.receipt_id}`);
      expect([proof.origin, signature_valid]).to.deep.equal([origins[2], true]);
      const first = await client.query<{ payload: Buffer }>(
        'SELECT payload FROM receipts_receipts WHERE origin = $1 AND idx = 0',
        [origins[2]],
      );
      const { predicate } = JSON.parse(first.rows[0]?.payload.toString() ?? '{}');
      expect(predicate.facts.previous_checkpoint).to.equal(shards[1].checkpoint);
    } finally {
      await platform.stop({ keep: true });
    }
    const env = { ORB_STORE_URL: url, ORB_MASTER_KEY: masterKeyOf(stateDir) };
    const checked = await orb(home, ['log', 'fsck'], { env });
    expect(checked.code, checked.out).to.equal(0);
    expect(checked.out.match(/: OK$/gm)).to.have.length(3);
  });

  it('has the same rows in a file again, and continues its log there in a new shard', async () => {
    const { home, client, url, stateDir, file } = await beginning('back');
    const env = { ORB_STORE_URL: url, ORB_MASTER_KEY: masterKeyOf(stateDir) };
    expect((await orb(home, ['store', 'move', '--to', url])).code).to.equal(0);
    const echo = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'there' } };
    const served = await start(home, url);
    const run = await served.call('POST', '/orbisets/default/execute', echo);
    const path = `/receipts/${run.body.receipt.receipt_id}`;
    const { envelope } = (await served.call('GET', path)).body;
    const running = await orb(home, ['store', 'move', '--to-file'], { env });
    expect([running.code, running.err]).to.deep.equal([exitConfig, running.err]);
    await served.stop({ keep: true });

    const moved = await orb(home, ['store', 'move', '--to-file'], { env });
    expect(moved.code, moved.err).to.equal(0);
    expect(moved.out).to.match(/^[\d,]+ rows of \d+ tables in .*; the log was checked\.$/m);
    expect(moved.out + moved.err)
      .not.to.contain(password)
      .and.not.to.contain(masterKeyOf(stateDir));
    const rows = rowsOfFile(file);
    expect(Object.values(rows).flat()).to.have.length.above(500);
    expect(rows).to.deep.equal(await rowsOfDatabase(client));
    const refused = await orb(home, ['serve'], { env });
    expect([refused.code, refused.err], refused.err).to.deep.equal([exitConfig, refused.err]);
    expect(refused.err).to.contain('was moved into a file').and.not.to.contain(password);

    const platform = await start(home);
    try {
      const get = async (route: string) => (await platform.call('GET', route)).body;
      expect((await get(path)).envelope)
        .to.be.an('object')
        .that.deep.equals(envelope);
      const here = await platform.call('POST', '/orbisets/default/execute', echo);
      const { shards } = await get('/log/shards');
      expect(shards.map(({ status }: Json) => status)).to.deep.equal(['frozen', 'frozen', 'frozen', 'active']);
      const { proof, signature_valid } = await get(`/receipts/${here.body.receipt.receipt_id}`);
      expect([proof.origin, signature_valid]).to.deep.equal([shards[3].origin, true]);
    } finally {
      await platform.stop({ keep: true });
    }
    const checked = await orb(home, ['log', 'fsck']);
    expect(checked.code, checked.out).to.equal(0);
    expect(checked.out.match(/: OK$/gm)).to.have.length(4);
    const healthy = await orb(home, ['doctor']);
    expect(healthy.out).not.to.match(/^✗ (store|log|receipts)/m);
  });

  const steps = [
    { line: 'the database is marked', isLeft: false },
    { line: 'all rows are copied', isLeft: false },
    { line: 'the log in the database is intact', isLeft: false },
    { line: 'the file is marked as moved', isLeft: true, always: true },
  ];
  // The soak kills it at every step; test/plugins/postgres/move does so with a store of one table.
  for (const { line, isLeft } of steps.filter(({ always = false }) => always || process.env['STORE_SOAK'] === '1'))
    it(`starts in one place alone when the command is killed (SIGKILL) as it says that ${line}`, async () => {
      const { home, url } = await beginning(`killed-${steps.findIndex((step) => step.line === line)}`);
      const arguments_: string[] = [];
      const killed = await orb(home, ['store', 'move', '--to', url], {
        onSaid(err, pid) {
          if (!err.includes(line)) return;
          arguments_.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
          process.kill(pid, 'SIGKILL');
        },
      });
      expect(killed.signal, killed.err).to.equal('SIGKILL');
      expect(arguments_.join()).not.to.contain(password);
      const refused = await start(home, isLeft ? undefined : url).catch((error: unknown) => String(error));
      expect(refused)
        .to.be.a('string')
        .that.contains(isLeft ? 'was moved to' : 'is filling the database');
      await (await start(home, isLeft ? url : undefined)).stop({ keep: true });
      const again = await orb(home, ['store', 'move', '--to', url]);
      expect(again.code, again.err).to.equal(0);
      await (await start(home, url)).stop({ keep: true });
    });
});

/** Answers a value without the members of its objects that another one has not: later programs add some. */
function membersOf(then: unknown, now: unknown): unknown {
  if (Array.isArray(then) && Array.isArray(now)) return now.map((item, at) => membersOf(then[at], item));
  if (!isObject(then) || !isObject(now)) return now;
  const kept = Object.entries(now).filter(([name]) => name in then);
  return Object.fromEntries(kept.map(([name, value]) => [name, membersOf(then[name], value)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
