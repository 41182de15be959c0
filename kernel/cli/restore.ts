import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigError } from '../error.ts';
import { takeLock } from '../store/lock.ts';
import { backup, backupManifest, digestOf, fsck, verified, type BackupManifest } from './backup.ts';
import { defineCommand, type Command } from './command.ts';

const keyName = 'master.key';
const storeName = 'store.db';
// The public keys go along with a store: what was signed since the backup is verified with them, and with no others.
const ofStore = [storeName, 'store.db-wal', 'store.db-shm', 'jwks.json', 'checkpoint', 'seen-checkpoints.json'];

/** Makes `orb restore FOLDER`: puts a backup's store into the state dir; the log then goes on in a new shard. */
export function restore(check: Command): Command {
  return defineCommand({
    path: 'restore',
    summary:
      'put the store of a backup into the state dir; its log goes on in a new shard, so that no index comes twice',
    args: [{ name: 'folder', description: 'what `orb backup` made' }],
    options: [
      {
        flag: '--replace',
        description: 'move a store that is there, with its keys, into a folder before-<time>',
      },
    ],
    async run(call) {
      const folder = call.args[0] ?? '';
      const { files } = await readBackup(folder);
      const exit = await verified(check, call, folder);
      rmSync(join(folder, 'seen-checkpoints.json'), { force: true });
      if (exit !== 0) throw new ConfigError([`${folder}: its log does not check (exit ${exit}); nothing was changed`]);
      mkdirSync(call.stateDir, { recursive: true, mode: 0o700 });
      const lock = takeLock(call.stateDir);
      let aside: string | undefined;
      try {
        aside = putBack(folder, call.stateDir, {
          names: files.map(({ name }) => name),
          replace: call.options['replace'] === true,
        });
      } finally {
        lock.release();
      }
      const text = `${call.stateDir} holds the store of ${folder}; the next start opens a new shard of the log.`;
      const kept =
        aside === undefined
          ? ''
          : ` What was there is in ${aside}: its jwks.json verifies what was signed since the backup.`;
      call.print({ state_dir: call.stateDir, ...(aside === undefined ? {} : { aside }) }, `${text}${kept}`);
    },
  });
}

async function readBackup(folder: string): Promise<BackupManifest> {
  const manifest = parsed(folder);
  for (const { name, sha256 } of manifest.files) {
    // A name is one of ours: a manifest from elsewhere must not reach beyond its folder.
    if (name !== basename(name) || !existsSync(join(folder, name)))
      throw new ConfigError([`${folder}: ${name} is missing; nothing was changed`]);
    if ((await digestOf(join(folder, name))) !== sha256)
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
    // Told below.
  }
  throw new ConfigError([`${folder}: is no backup of this program; it holds no ${backupManifest}`]);
}

interface Putting {
  /** What the backup holds. */
  readonly names: readonly string[];
  readonly replace: boolean;
}

/** Answers the folder, in the state dir, of what was moved aside, if anything was. */
function putBack(folder: string, stateDir: string, { names, replace }: Putting): string | undefined {
  const occupied = existsSync(join(stateDir, storeName));
  if (occupied && !replace)
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds a store; give --replace to move it aside`]);
  const wanted = [keyName, storeName].filter((name) => names.includes(name) && !isSame(folder, stateDir, name));
  const temporary = (name: string): string => join(stateDir, `${name}.${process.pid}.tmp`);
  try {
    // All that takes room comes first: where the disk is full, the store that is there stays.
    for (const name of wanted) copyFileSync(join(folder, name), temporary(name));
    const aside = makeRoom(stateDir, [...(occupied ? ofStore : []), ...wanted]);
    // Before the store, the mark: without it the store would be refused, or, beside an older checkpoint, go on where
    // it must not.
    writeFileSync(join(stateDir, 'restored'), '');
    for (const name of wanted) renameSync(temporary(name), join(stateDir, name));
    return aside;
  } finally {
    for (const name of wanted) rmSync(temporary(name), { force: true });
  }
}

// A key of another store would keep this one shut. The store itself is always put back: only its key is compared.
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

/** Makes `orb backup` and `orb restore`, if some plugin contributes the check of a log that both need. */
export function backupCommands(contributed: readonly Command[]): readonly Command[] {
  const check = contributed.find(({ path }) => path === fsck);
  return check === undefined ? [] : [backup(check), restore(check)];
}
