import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import {
  ConfigError,
  defineCommand,
  type CommandCall,
  type Installation,
  type Progress,
} from '../../../kernel/index.ts';
import type { PluginBackup } from '../../../kernel/maintenance.ts';
import { optionsOf } from '../../terminal/contract.ts';
import { whileGrowing } from '../growth/growth.ts';
import { needsOwnFile, storeName } from '../store-file.ts';
import { verdictOf } from '../contract.ts';

/** The content of a backup, by file name; `sha256` is 64 hex digits. */
export interface BackupManifest {
  readonly format: 'agent-orb/backup/1';
  readonly version: string;
  /** RFC 3339 UTC. */
  readonly created_at: string;
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
}

/** Name of the file that lists the content of a backup. */
export const backupManifest = 'backup.json';

/** Lists the files that the shipped plugins keep next to the store. */
export function filesBeside({ shipped }: Installation): readonly PluginBackup[] {
  return shipped.flatMap(({ backup: files }) => files ?? []);
}

/** `orb backup FOLDER`: copies the store while it serves, and checks the copy. */
export const backup = defineCommand({
  path: 'backup',
  summary: 'copy the store of a running server into a new folder, and check the copy',
  args: [{ name: 'folder', description: 'a folder that does not exist' }],
  options: optionsOf({
    '--with-master-key': 'include master.key; anyone with the backup can then read its secrets',
  }),
  async run(call) {
    needsOwnFile(call, 'back it up with its own tools, for example pg_dump');
    const folder = call.args[0] ?? '';
    if (existsSync(folder)) throw new ConfigError([`${folder} already exists; name a new folder`]);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      await copyAll(call, folder);
      const exit = await checkCopy(call, folder);
      if (exit !== 0) {
        call.note(`the copy in ${folder} failed its check (exit ${exit}); it is kept for inspection`);
        return exit;
      }
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    const names = readdirSync(folder).sort();
    const key = names.includes('master.key')
      ? ''
      : '\nIt contains no master key: keep master.key, or ORB_MASTER_KEY, in another place.';
    call.print({ folder, files: names }, `${folder} contains ${names.join(', ')}; its log was checked.${key}`);
    return 0;
  },
});

async function copyAll({ bar, installation, options, stateDir }: CommandCall, folder: string): Promise<void> {
  await backupStore(stateDir, folder, bar);
  const copied = filesBeside(installation).flatMap((files) => files.copied);
  for (const name of [...copied, ...(options['withMasterKey'] === true ? ['master.key'] : [])])
    if (existsSync(join(stateDir, name))) copyFileSync(join(stateDir, name), join(folder, name));
  const names = readdirSync(folder).sort();
  const files: { readonly name: string; readonly sha256: string }[] = [];
  for (const name of names) files.push({ name, sha256: await digestOf(join(folder, name), bar) });
  const manifest: BackupManifest = {
    format: 'agent-orb/backup/1',
    version: installation.version,
    created_at: new Date().toISOString(),
    files,
  };
  writeFileSync(join(folder, backupManifest), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
}

/** Checks the copy of a store in a folder; resolves to the exit code of the check. What the check leaves is removed. */
export async function checkCopy(call: CommandCall, folder: string): Promise<number> {
  // Its master key may not be next to it.
  const keyDir = existsSync(join(folder, 'master.key')) ? folder : call.stateDir;
  const place = { stateDir: folder, keyDir, store: () => ({ stateDir: folder }) };
  const { exit } = await verdictOf({ ...call, ...place });
  for (const { aside } of filesBeside(call.installation))
    for (const name of aside) rmSync(join(folder, name), { force: true });
  return exit;
}

/** Computes the SHA-256 of a file: 64 hex digits. */
export async function digestOf(path: string, bar?: Progress): Promise<string> {
  const hash = createHash('sha256');
  const progress = bar?.part(`reading ${basename(path)}`);
  const { size } = statSync(path);
  let read = 0;
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(part);
    progress?.((read += part.length), size);
  }
  return hash.digest('hex');
}

// Copies the committed state of a store into a folder while the store is in use. Throws ConfigError without a store.
async function backupStore(stateDir: string, folder: string, bar: Progress | undefined): Promise<void> {
  const { copyStore } = await import('../store/whole-file.ts');
  const path = join(stateDir, storeName);
  const target = join(folder, storeName);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  try {
    await whileGrowing(bar, { what: `copying ${storeName}`, path: target, bytes }, () => copyStore(path, target));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_CANTOPEN') throw error;
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds no store`]);
  }
}
