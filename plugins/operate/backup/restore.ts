import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigError, defineCommand, type CommandCall, type Progress } from '../../../kernel/index.ts';
import { takeLock } from '../../../kernel/maintenance.ts';
import { optionsOf } from '../../terminal/contract.ts';
import { whileGrowing } from '../growth/growth.ts';
import { needsOwnFile, storeName } from '../store-file.ts';
import { backupManifest, checkCopy, digestOf, filesBeside, type BackupManifest } from './backup.ts';

const keyName = 'master.key';
// The store comes last: SQLite would read a log or journal that is left without its store into the one put back.
const ofStore = ['store.db-wal', 'store.db-shm', 'store.db-journal', storeName];

/** `orb restore FOLDER`: puts a backup's store into the state dir; the log then goes on in a new shard. */
export const restore = defineCommand({
  path: 'restore',
  summary: 'restore the store of a backup; its log continues in a new shard, so that no index is used twice',
  args: [{ name: 'folder', description: 'the folder of `orb backup`' }],
  options: optionsOf({
    '--replace': 'move an existing store and its keys into a folder before-<time>',
  }),
  async run(call) {
    needsOwnFile(call, 'restore it with its own tools, for example pg_restore');
    const folder = call.args[0] ?? '';
    const { files } = await readBackup(folder, call.bar);
    const names = files.map(({ name }) => name);
    const exit = await checkCopy(call, folder);
    if (exit !== 0) throw new ConfigError([`${folder}: its log failed its check (exit ${exit}); nothing was changed`]);
    mkdirSync(call.stateDir, { recursive: true, mode: 0o700 });
    const lock = takeLock(call.stateDir);
    let aside: string | undefined;
    try {
      aside = await putBack(call, folder, names);
    } finally {
      lock.release();
    }
    const text = `${call.stateDir} now contains the store of ${folder}; the next start opens a new shard of the log.`;
    const rest =
      aside === undefined
        ? ''
        : ` The previous store is in ${aside}, with the keys that verify receipts signed since the backup.`;
    call.print({ state_dir: call.stateDir, ...(aside === undefined ? {} : { aside }) }, `${text}${rest}`);
  },
});

async function readBackup(folder: string, bar: Progress | undefined): Promise<BackupManifest> {
  const manifest = parsed(folder);
  for (const { name, sha256 } of manifest.files) {
    // A name must be a plain file name: a manifest from elsewhere must not reach outside its folder.
    if (name !== basename(name) || !existsSync(join(folder, name)))
      throw new ConfigError([`${folder}: ${name} is missing; nothing was changed`]);
    if ((await digestOf(join(folder, name), bar)) !== sha256)
      throw new ConfigError([`${folder}: ${name} was changed since the backup; nothing was changed here`]);
  }
  if (manifest.files.some(({ name }) => name === storeName)) return manifest;
  throw new ConfigError([`${folder}: holds no store`]);
}

function parsed(folder: string): BackupManifest {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, backupManifest), 'utf8')) as BackupManifest;
    if (manifest.format === 'agent-orb/backup/1') return manifest;
  } catch {
    // The fault is reported below.
  }
  throw new ConfigError([`${folder}: is not a backup of this program; it contains no ${backupManifest}`]);
}

/** Returns the folder, in the state dir, of the files that were moved aside, if there are any. */
async function putBack(call: CommandCall, folder: string, names: readonly string[]): Promise<string | undefined> {
  const { bar, installation, options, stateDir } = call;
  const beside = filesBeside(installation);
  const occupied = existsSync(join(stateDir, storeName));
  if (occupied && options['replace'] !== true)
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} already contains a store; add --replace to move it aside`]);
  const copied = beside.flatMap((files) => files.copied);
  const wanted = [keyName, ...copied, storeName].filter(
    (name) => names.includes(name) && !isSame(folder, stateDir, name),
  );
  const temporary = (name: string): string => join(stateDir, `${name}.${process.pid}.tmp`);
  try {
    // The copies, which need space, come first: if the disk is full, the present store stays in place.
    for (const name of wanted) {
      const growing = { what: `copying ${name}`, path: temporary(name), bytes: statSync(join(folder, name)).size };
      await whileGrowing(bar, growing, () => copyFileSync(join(folder, name), temporary(name)));
    }
    // Public keys move aside with their store: only they verify what was signed since the backup.
    const withStore = occupied ? [...copied, ...beside.flatMap((files) => files.aside)] : [];
    const aside = makeRoom(stateDir, [...ofStore, ...withStore, ...wanted]);
    // The marks come before the store: without them the log would be refused, or continue where it must not.
    for (const { mark } of beside) writeFileSync(join(stateDir, mark), '');
    for (const name of wanted) renameSync(temporary(name), join(stateDir, name));
    return aside;
  } finally {
    for (const name of wanted) rmSync(temporary(name), { force: true });
  }
}

// A key of another store would make this one unreadable. The store itself is always put back: only its key is compared.
function isSame(folder: string, stateDir: string, name: string): boolean {
  const there = join(stateDir, name);
  if (name !== keyName || !existsSync(there)) return false;
  return readFileSync(there).equals(readFileSync(join(folder, name)));
}

function makeRoom(stateDir: string, leaving: readonly string[]): string | undefined {
  const names = leaving.filter((name) => existsSync(join(stateDir, name)));
  if (names.length === 0) return undefined;
  const aside = `before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  mkdirSync(join(stateDir, aside), { mode: 0o700 });
  for (const name of new Set(names)) renameSync(join(stateDir, name), join(stateDir, aside, name));
  return aside;
}
