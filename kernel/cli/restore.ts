import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigError } from '../error.ts';
import { takeLock } from '../store/lock.ts';
import { backupManifest, digestOf, verified, type BackupManifest } from './backup.ts';
import { defineCommand, type Command } from './command.ts';

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
        description: 'move a store that is there, and its public keys, into a folder before-<time>',
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
        aside = makeRoom(call.stateDir, call.options['replace'] === true);
        putBack(
          folder,
          call.stateDir,
          files.map(({ name }) => name),
        );
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
  if (manifest.files.some(({ name }) => name === 'store.db')) return manifest;
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

function makeRoom(stateDir: string, replace: boolean): string | undefined {
  const store = join(stateDir, 'store.db');
  if (!existsSync(store)) return undefined;
  if (!replace) throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds a store; give --replace to move it aside`]);
  const aside = `before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  mkdirSync(join(stateDir, aside), { mode: 0o700 });
  // The public keys go along: what was signed since the backup is verified with them, and with no others.
  for (const name of ['store.db', 'store.db-wal', 'store.db-shm', 'jwks.json', 'checkpoint', 'seen-checkpoints.json'])
    if (existsSync(join(stateDir, name))) renameSync(join(stateDir, name), join(stateDir, aside, name));
  return aside;
}

function putBack(folder: string, stateDir: string, names: readonly string[]): void {
  // First the mark: a store without it would be refused, or, beside an older checkpoint, go on where it must not.
  writeFileSync(join(stateDir, 'restored'), '');
  if (names.includes('master.key') && !existsSync(join(stateDir, 'master.key'))) copy('master.key');
  copy('store.db');
  function copy(name: string): void {
    const temporary = join(stateDir, `${name}.${process.pid}.tmp`);
    try {
      copyFileSync(join(folder, name), temporary);
      renameSync(temporary, join(stateDir, name));
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}
