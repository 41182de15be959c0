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
import { ConfigError } from '../error.ts';
import type { Plugin } from '../plugin.ts';
import type { SealedReport } from '../store/sealed-rows.ts';
import { copyDatabase, storeFile } from '../store/sqlite/database.ts';
import { version } from '../tools/version.ts';
import { whileGrowing } from './output/growth.ts';
import type { Progress } from './output/progress-bar.ts';
import { needsOwnFile } from './own-file.ts';
import { defineCommand, type Command, type CommandCall, type PluginBackup } from './command.ts';

/** Lists the files that plugins declare beside the store, each with its check: a command, and flags without a value. */
export function keptBy(plugins: readonly Plugin[]): readonly Kept[] {
  return plugins.flatMap(({ backup: files, commands }) => {
    const [words, ...flags] = files?.check.split(' --') ?? [];
    const command = commands.find(({ path }) => path === words);
    const options = Object.fromEntries(flags.map((flag) => [camelCase(flag), true]));
    return files === undefined || command === undefined ? [] : [{ ...files, command, options }];
  });
}

function camelCase(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

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
/** A plugin's files beside the store, and its check of a copy. */
export interface Kept extends PluginBackup {
  readonly command: Command;
  /** Flags of the check. */
  readonly options?: CommandCall['options'];
}

/** Makes `orb backup FOLDER`: copies the store while it serves, and checks the copy. */
export function backup(kept: readonly Kept[]): Command {
  return defineCommand({
    path: 'backup',
    summary: 'copy the store of a running server into a new folder, and check the copy',
    args: [{ name: 'folder', description: 'a folder that does not exist' }],
    options: [
      {
        flag: '--with-master-key',
        description: 'include master.key; anyone with the backup can then read its secrets',
      },
    ],
    async run(call) {
      needsOwnFile(call, 'back it up with its own tools, for example pg_dump');
      const folder = call.args[0] ?? '';
      if (existsSync(folder)) throw new ConfigError([`${folder}already exists; name a new folder`]);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      try {
        await copyAll(call, folder, kept);
        const exit = await verified(kept, inFolder(call, folder));
        forgetChecks(kept, folder);
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
}

async function copyAll({ bar, options, stateDir }: CommandCall, folder: string, kept: readonly Kept[]): Promise<void> {
  await backupStore(stateDir, folder, bar);
  const copied = kept.flatMap((files) => files.copied);
  for (const name of [...copied, ...(options['withMasterKey'] === true ? ['master.key'] : [])])
    if (existsSync(join(stateDir, name))) copyFileSync(join(stateDir, name), join(folder, name));
  const names = readdirSync(folder).sort();
  const files: { readonly name: string; readonly sha256: string }[] = [];
  for (const name of names) files.push({ name, sha256: await digestOf(join(folder, name), bar) });
  const manifest: BackupManifest = {
    format: 'agent-orb/backup/1',
    version,
    created_at: new Date().toISOString(),
    files,
  };
  writeFileSync(join(folder, backupManifest), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
}

/** Makes, of the call of a command, one about the store that a folder holds; its master key may not be beside it. */
export function inFolder(call: CommandCall, folder: string): CommandCall {
  const keyDir = existsSync(join(folder, 'master.key')) ? folder : call.stateDir;
  return { ...call, stateDir: folder, keyDir, store: () => ({ stateDir: folder }) };
}

/** Checks the store of a call; resolves to the exit code of the first check that fails, else 0. */
export async function verified(kept: readonly Kept[], call: CommandCall): Promise<number> {
  return (await verdictOn(kept, call)).exit;
}

/** What checks say of a store. */
export interface Verdict {
  readonly exit: number;
  readonly unread: boolean;
  /** Why sealed values were not opened. */
  readonly sealed: readonly Pick<SealedReport, 'absent' | 'unchecked'>[];
}

// Members of what a check prints with --json.
interface CheckResult {
  readonly unread?: unknown;
  readonly sealed?: Verdict['sealed'][number];
}

/**
 * Checks the store of a call: the exit code of the first check that fails, else 0. `unread`: the check could not read the
 * store or its public keys (it says so, or ends with 3 and no result), so that nothing is known of the store.
 */
export async function verdictOn(kept: readonly Kept[], { screen: _screen, ...call }: CommandCall): Promise<Verdict> {
  // What a check prints goes to standard error, which may be another place than the screen.
  const sealed: Pick<SealedReport, 'absent' | 'unchecked'>[] = [];
  for (const { command, options = {} } of kept) {
    const said: string[] = [];
    let result: unknown;
    const print = (value: unknown, text: string): void => {
      said.push(text);
      result = value;
    };
    const exit = (await command.run({ ...call, args: [], options, print })) ?? 0;
    const { sealed: report, unread: isUnread } = (result ?? {}) as CheckResult;
    if (report !== undefined) sealed.push(report);
    if (exit === 0) continue;
    if (said.length > 0) call.note(said.join('\n'));
    const unread = result === undefined ? exit === 3 : isUnread === true;
    return { exit, unread, sealed };
  }
  return { exit: 0, unread: false, sealed };
}

/** Removes from a backup the files that its checks left there. */
export function forgetChecks(kept: readonly Kept[], folder: string): void {
  for (const { aside } of kept) for (const name of aside) rmSync(join(folder, name), { force: true });
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
  const [path, target] = [join(stateDir, storeFile), join(folder, storeFile)];
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const growing = { what: `copying ${storeFile}`, path: target, bytes };
  try {
    await whileGrowing(bar, growing, () => copyDatabase(path, target));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_CANTOPEN') throw error;
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds no store`]);
  }
}
