import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { ConfigError } from '../../../kernel/error.ts';
import { operation, type Operations, type StoreModule } from '../../../kernel/index.ts';
import { leaveOutBecause } from '../../helpers/needs.ts';
import notes from '../../helpers/stores/notes.ts';
import { notesModule, rejection, Stores } from '../../helpers/stores/open.ts';

const writingProcess = fileURLToPath(new URL('../../helpers/stores/writing-process.ts', import.meta.url));
const key = 'ab'.repeat(32);

async function faults(opening: Promise<unknown>): Promise<string> {
  const error = await rejection(opening);
  expect(error).to.be.instanceOf(ConfigError);
  return (error as ConfigError).faults.join('\n');
}

describe('opening a store', () => {
  const stores = new Stores();
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await stores.tidy();
  });

  describe('the lock', () => {
    async function holder(folder: string): Promise<ChildProcess> {
      const child = spawn(process.execPath, [writingProcess, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      await once(createInterface(child.stdout), 'line');
      return child;
    }

    it('keeps a second process out, and is taken over once its owner is dead', async () => {
      const folder = stores.folder();
      const child = await holder(folder);
      expect(readFileSync(join(folder, 'lock'), 'utf8').split('\n')[0]).to.equal(String(child.pid));
      expect(await faults(stores.open(folder))).to.contain(`in use by process ${child.pid}`);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await stores.open(folder);
      expect(readFileSync(join(folder, 'lock'), 'utf8').split('\n')[0]).to.equal(String(process.pid));
    });

    it('keeps a second store of the same process out', async () => {
      const folder = stores.folder();
      await stores.open(folder);
      expect(await faults(stores.open(folder))).to.contain(`in use by process ${process.pid}`);
      expect(existsSync(join(folder, 'lock'))).to.equal(true);
    });

    it('of a pid that is used again by a younger process is stale', async function () {
      if (process.platform !== 'linux') leaveOutBecause(this, 'it reads /proc of Linux');
      const folder = stores.folder();
      writeFileSync(join(folder, 'lock'), `${process.pid}\n1\n`);
      const store = await stores.open(folder);
      expect(store.health().health).to.equal('up');
    });

    it('of a refused boot is given back', async () => {
      const folder = stores.folder();
      await faults(stores.open(folder, { masterKey: 'short' }));
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  });

  describe('the state dir', () => {
    it('is made, for its owner alone', async () => {
      const folder = join(stores.folder(), 'deep', 'state');
      await stores.open(folder);
      expect(statSync(folder).mode & 0o777).to.equal(0o700);
    });

    it('that was open to others is closed to them', async () => {
      const folder = stores.folder();
      chmodSync(folder, 0o755);
      await stores.open(folder);
      expect(statSync(folder).mode & 0o777).to.equal(0o700);
    });

    it('that cannot be made refuses the boot', async () => {
      const file = join(stores.folder(), 'file');
      writeFileSync(file, '');
      expect(await faults(stores.open(join(file, 'state')))).to.contain('cannot be created (ENOTDIR)');
    });
  });

  describe('the master key', () => {
    const close = async (folder: string, masterKey?: string): Promise<void> =>
      (await stores.open(folder, masterKey === undefined ? {} : { masterKey })).close();

    it('is made for a new store, as 64 hex digits, for its owner alone', async () => {
      const folder = stores.folder();
      await close(folder);
      const path = join(folder, 'master.key');
      expect(readFileSync(path, 'utf8')).to.match(/^[0-9a-f]{64}\n$/);
      expect(statSync(path).mode & 0o777).to.equal(0o600);
      await close(folder);
    });

    it('may come as hex or base64url, and then no file is made', async () => {
      const folder = stores.folder();
      await close(folder, key);
      await close(folder, Buffer.from(key, 'hex').toString('base64url'));
      expect(existsSync(join(folder, 'master.key'))).to.equal(false);
    });

    for (const masterKey of ['', 'ab'.repeat(31), 'zz'.repeat(32), `${'A'.repeat(42)}!`, 'A'.repeat(44)])
      it(`is refused when malformed: "${masterKey.slice(0, 8)}…" (${masterKey.length})`, async () => {
        const folder = stores.folder();
        expect(await faults(stores.open(folder, { masterKey }))).to.contain('ORB_MASTER_KEY');
        expect(existsSync(join(folder, 'store.db'))).to.equal(false);
      });

    it('that is wrong is refused and overwrites nothing', async () => {
      const folder = stores.folder();
      await close(folder, key);
      const before = readFileSync(join(folder, 'store.db'));
      expect(await faults(stores.open(folder, { masterKey: 'cd'.repeat(32) }))).to.contain('ORB_MASTER_KEY');
      expect(readFileSync(join(folder, 'store.db')).equals(before)).to.equal(true);
      await close(folder, key);
    });

    it('that is missing beside a store is refused and nothing is created', async () => {
      const folder = stores.folder();
      await close(folder, key);
      expect(await faults(stores.open(folder))).to.contain('master.key is missing');
      expect(readdirSync(folder)).to.deep.equal(['node', 'store.db']);
    });

    it('never stands in the store', async () => {
      const folder = stores.folder();
      await close(folder, key);
      expect(readFileSync(join(folder, 'store.db')).includes(Buffer.from(key, 'hex'))).to.equal(false);
    });
  });

  describe('store modules', () => {
    const tables = `CREATE TABLE ext_row (id TEXT PRIMARY KEY) STRICT`;

    async function external(folder: string, migrations: readonly string[], name = 'ext') {
      const file = join(folder, `${name}-${Math.random()}.mjs`);
      writeFileSync(
        file,
        `export default { name: 'ext', migrations: ${JSON.stringify(migrations)}, read: () => ({}),
           write: () => ({ operations: {} }) };`,
      );
      const { default: module } = (await import(pathToFileURL(file).href)) as { default: StoreModule<Operations> };
      return [{ module: { ...module, name }, file }];
    }

    async function applied(folder: string): Promise<unknown> {
      const reader = new Driver(join(folder, 'state', 'store.db'), { readonly: true });
      const rows = reader.prepare(`SELECT number FROM kernel_migrations WHERE store = 'ext'`).pluck().all();
      reader.close();
      return rows;
    }

    const open = async (folder: string, migrations: readonly string[]) =>
      (await stores.open(join(folder, 'state'), { modules: await external(folder, migrations) })).close();

    it('have each migration applied once', async () => {
      const folder = stores.folder();
      await open(folder, [tables]);
      await open(folder, [tables, 'ALTER TABLE ext_row ADD COLUMN more TEXT']);
      await open(folder, [tables, 'ALTER TABLE ext_row ADD COLUMN more TEXT']);
      expect(await applied(folder)).to.deep.equal([1, 2]);
    });

    const refused = [
      { name: 'a changed migration', next: [`${tables} `], says: 'store ext: migration 1 was changed' },
      { name: 'a store newer than the program', next: [], says: 'store ext: the file was written by a newer program' },
      { name: 'a text that fails', next: [tables, 'CREATE NONSENSE'], says: 'store ext: migration 2 failed' },
      {
        name: "another's table",
        next: [tables, 'CREATE TABLE ext_ok (a); CREATE TABLE other_row (a)'],
        says: 'may touch only ext_…, not other_row',
      },
      { name: 'a change of the kernel', next: [tables, 'DROP TABLE kernel_head'], says: 'not kernel_head' },
      {
        name: "an index on another's table",
        next: [tables, 'CREATE INDEX ext_spy ON kernel_head (epoch)'],
        says: 'not ext_spy',
      },
      { name: 'a transaction of its own', next: [tables, 'COMMIT'], says: 'must not begin or end a transaction' },
    ];
    for (const { name, next, says } of refused)
      it(`are refused with ${name}, and nothing is changed`, async () => {
        const folder = stores.folder();
        await open(folder, [tables]);
        expect(await faults(open(folder, next))).to.contain(says);
        expect(await applied(folder)).to.deep.equal([1]);
        await open(folder, [tables]);
      });

    it('are refused, all faults at once, when they cannot be loaded', async () => {
      const folder = stores.folder();
      const [one] = await external(folder, [], 'misnamed');
      const broken = join(folder, 'broken.mjs');
      writeFileSync(broken, 'export default 1;');
      const modules = [
        { module: { ...notesModule.module, name: 'absent' } },
        { module: { ...notesModule.module, name: 'broken' }, file: broken },
        { module: { ...notesModule.module, name: 'gone' }, file: join(folder, 'gone.mjs') },
        { module: { ...notesModule.module, name: 'kernel' } },
        notesModule,
        notesModule,
        ...(one === undefined ? [] : [one]),
      ];
      const text = await faults(stores.open(join(folder, 'state'), { modules }));
      expect(text).to.contain('store absent: is not among the stores that ship');
      expect(text).to.contain('must be a store module');
      expect(text).to.contain('gone.mjs: cannot be loaded');
      expect(text).to.contain('holds the store ext');
      expect(text).to.contain('store notes: is named twice');
      expect(text).to.contain('neither kernel nor');
    });

    it('have a purpose of sealing each to themselves', async () => {
      const folder = stores.folder();
      const modules = await Promise.all(
        ['one', 'two', 'three'].map(async (name) => {
          const file = join(folder, `${name}.mjs`);
          const seals = JSON.stringify([name === 'three' ? 'inputs' : 'letters']);
          writeFileSync(
            file,
            `export default { name: '${name}', seals: ${seals}, migrations: [], write: () => ({ operations: {} }), read: () => ({}) };`,
          );
          return { module: { ...notesModule.module, name }, file };
        }),
      );
      const text = await faults(stores.open(join(folder, 'state'), { modules }));
      expect(text).to.contain('store two: the purpose letters belongs to one');
      expect(text).to.contain('store three: the purpose inputs belongs to every module');
    });

    it('see what the store holds after it is opened again', async () => {
      const folder = stores.folder();
      const first = await stores.open(folder);
      await first.write([operation(notes, 'append', { id: 'a', text: 'kept' })]);
      await first.close();
      const second = await stores.open(folder);
      const [item] = await second.write([operation(notes, 'append', { id: 'b', text: 'kept' })]);
      expect(item.position).to.equal(2);
    });
  });

  it('leaves no writer and no lock behind when what the writer opened cannot be read', async () => {
    const folder = stores.folder();
    const file = join(folder, 'gone.mjs');
    const database = join(folder, 'state', 'store.db');
    // Its file is gone between the two openings.
    writeFileSync(
      file,
      `import { rmSync } from 'node:fs';
       const write = () => (rmSync(${JSON.stringify(database)}), { operations: {} });
       export default { name: 'gone', migrations: [], write, read: () => ({}) };`,
    );
    const made = once(process, 'worker') as Promise<[Worker]>;
    const modules = [{ module: { ...notesModule.module, name: 'gone' }, file }];
    expect(await rejection(stores.open(join(folder, 'state'), { modules }))).to.have.property(
      'code',
      'SQLITE_CANTOPEN',
    );
    const [worker] = await made;
    expect(worker.threadId, 'the thread is gone').to.equal(-1);
    expect(readdirSync(join(folder, 'state'))).not.to.include('lock');
  });

  it('refuses a database that another program made', async () => {
    const folder = stores.folder();
    const other = new Driver(join(folder, 'store.db'));
    other.exec('CREATE TABLE theirs (a)');
    other.close();
    expect(await faults(stores.open(folder, { masterKey: key }))).to.contain('not made by this program');
  });
});
