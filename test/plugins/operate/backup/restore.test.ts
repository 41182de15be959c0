import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineCommand, type CommandCall } from '../../../../kernel/cli/command/command.ts';
import { painted } from '../../../../plugins/terminal/meaning.ts';
import { installationOf } from '../../../../kernel/cli/installation.ts';
import { verdictOf } from '../../../../plugins/operate/contract.ts';
import { definePlugin } from '../../../../kernel/index.ts';
import { restore } from '../../../../plugins/operate/backup/restore.ts';
import { runCommand } from '../../../helpers/command.ts';
import { recordedProgress } from '../../../helpers/progress.ts';

const sound = defineCommand({ path: 'log fsck', summary: 'finds nothing', run: () => Promise.resolve(0) });
const keeping = definePlugin({
  name: 'keeping',
  backup: { copied: ['facts.json'], aside: ['checkpoint'], mark: 'restored', check: 'log fsck' },
  commands: [sound],
  start: () => ({}),
});
const installation = installationOf({ plugins: [keeping], adapters: [] }, [], {});

describe('orb restore', () => {
  let home: string;
  let stateDir: string;
  const backup = (): string => join(home, 'copy');
  const inState = (name: string): string => readFileSync(join(stateDir, name), 'utf8');
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-restore-'));
    stateDir = join(home, 'state');
    for (const folder of [stateDir, backup()]) mkdirSync(folder);
    fill(backup(), { 'store.db': 'the store of the backup', 'master.key': 'the key of the backup' });
    const files = manifest('master.key', 'store.db');
    fill(backup(), { 'backup.json': JSON.stringify({ format: 'agent-orb/backup/1', version: '0.0.0', files }) });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function manifest(...names: readonly string[]): readonly object[] {
    return names.map((name) => ({
      name,
      sha256: createHash('sha256')
        .update(readFileSync(join(backup(), name)))
        .digest('hex'),
    }));
  }

  function fill(folder: string, files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  }

  const run = () =>
    runCommand<{ aside?: string }>(restore, stateDir, [backup()], { installation, options: { replace: true } });

  it('puts back the files that a plugin keeps beside the store, moves its others aside, and leaves its mark', async () => {
    fill(backup(), { 'facts.json': 'kinds of the backup' });
    const files = manifest('master.key', 'store.db', 'facts.json');
    fill(backup(), { 'backup.json': JSON.stringify({ format: 'agent-orb/backup/1', version: '0.0.0', files }) });
    fill(stateDir, { 'store.db': 'another store', 'facts.json': 'its kinds', checkpoint: 'its checkpoint' });
    const { value } = await run();
    expect([inState('facts.json'), inState('restored')]).to.deep.equal(['kinds of the backup', '']);
    expect(existsSync(join(stateDir, 'checkpoint'))).to.equal(false);
    const aside = value.aside ?? '';
    expect([inState(join(aside, 'facts.json')), inState(join(aside, 'checkpoint'))]).to.deep.equal([
      'its kinds',
      'its checkpoint',
    ]);
  });

  it('says on standard error what a check printed, without the colours of standard output', async () => {
    const notes: string[] = [];
    const screen = { paint: (_: string, text: string) => `<${text}>` };
    const call = { screen, note: (text: string) => notes.push(text) } as unknown as CommandCall;
    const command = defineCommand({
      ...{ path: 'log fsck', summary: 'finds a fault' },
      async run({ print, screen: given }) {
        print({}, `the log: ${painted('fail', given)}`);
        return 1;
      },
    });
    expect(await verdictOf(call, [{ command }])).to.have.property('exit', 1);
    expect(notes).to.deep.equal(['the log: fail']);
  });

  it('shows how much of the backup is read', async () => {
    const bar = recordedProgress();
    await runCommand(restore, stateDir, [backup()], { bar, installation });
    expect(Object.fromEntries(bar.shown)).to.deep.equal({
      'reading master.key': '21/21',
      'reading store.db': '23/23',
    });
  });

  it('puts a store back with the key that opens it, and the other key aside with its store', async () => {
    fill(stateDir, { 'store.db': 'another store', 'master.key': 'its key' });
    const { value } = await run();
    expect([inState('store.db'), inState('master.key')]).to.deep.equal([
      'the store of the backup',
      'the key of the backup',
    ]);
    const aside = value.aside ?? '';
    expect([inState(join(aside, 'store.db')), inState(join(aside, 'master.key'))]).to.deep.equal([
      'another store',
      'its key',
    ]);
  });

  for (const store of [{ 'store.db': 'another store' }, {}])
    it(`leaves no log of a store ${'store.db' in store ? 'that is there' : 'that is gone'} beside the one put back`, async () => {
      const logs = { 'store.db-wal': 'its log', 'store.db-shm': 'index', 'store.db-journal': 'its journal' };
      fill(stateDir, { ...store, ...logs });
      const { value } = await run();
      expect(inState('store.db')).to.equal('the store of the backup');
      const names = Object.keys({ ...store, ...logs }).sort();
      expect(readdirSync(join(stateDir, value.aside ?? '')).sort()).to.deep.equal(names);
      expect(Object.keys(logs).filter((name) => existsSync(join(stateDir, name)))).to.deep.equal([]);
    });

  it('leaves the key where it is when it is the same', async () => {
    fill(stateDir, { 'store.db': 'an older store', 'master.key': 'the key of the backup' });
    const { value } = await run();
    expect(inState('master.key')).to.equal('the key of the backup');
    expect(existsSync(join(stateDir, value.aside ?? '', 'master.key'))).to.equal(false);
  });

  it('changes nothing when the store cannot be copied', async () => {
    fill(stateDir, { 'store.db': 'another store', 'master.key': 'its key' });
    // A folder in the way plays a full disk.
    mkdirSync(join(stateDir, `store.db.${process.pid}.tmp`));
    const before = readdirSync(stateDir).sort();
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error');
    expect([inState('store.db'), inState('master.key')]).to.deep.equal(['another store', 'its key']);
    expect(readdirSync(stateDir).sort()).to.deep.equal(before);
  });
});
