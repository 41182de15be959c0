import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { operation, type Log, type Store } from '../../kernel/index.ts';
import { keyEvent, newKey, type Issuer } from './issue.ts';
import apiKeysStore, { type KeyReads } from './store.ts';
import { generateToken } from './token.ts';

// Name of the file in the state dir that holds the first key and a newline.
const adminKeyFile = 'admin.key';

/** What making the first key needs. */
interface FirstKeyOptions extends Omit<Issuer, 'store'> {
  readonly store: Pick<Store, 'node' | 'write'>;
  readonly reads: Pick<KeyReads, 'any' | 'first'>;
  readonly stateDir: string;
  readonly log: Pick<Log, 'info'>;
}

/**
 * Makes the first key (live, `*`, tenant `default`) when no key was ever created; of several nodes that start at once,
 * one makes it, and the others say which. Writes the file before the key is valid: a crash in between leaves a file that
 * the next start replaces, never a valid key that is lost.
 */
export async function ensureAdminKey(options: FirstKeyOptions): Promise<void> {
  const { ids, keyring, log, reads, runtime, stateDir, store } = options;
  if (await reads.any()) return sayWhere(options);
  const token = generateToken('live');
  const path = join(stateDir, adminKeyFile);
  await writePrivate(stateDir, path, `${token}\n`);
  const owner = { id: ids('prn'), name: 'admin', tenant: 'default' };
  const stored = newKey(options, { owner, name: 'admin', scopes: ['*'], mode: 'live' }, token);
  const [taken] = await store.write([operation(apiKeysStore, 'createFirst', { stored, node: store.node.name })]);
  if (taken !== undefined) {
    await rm(path, { force: true });
    return sayWhere(options);
  }
  keyring.add(stored);
  const { key_id, principal } = stored.key;
  log.info({ key_id, principal, file: path }, `the first admin key was created in ${path}`);
  await store.write([runtime.recording(keyEvent('key.created', stored.key))]);
}

async function sayWhere({ log, reads, store }: FirstKeyOptions): Promise<void> {
  const first = await reads.first();
  if (first === undefined || first.node === store.node.name) return;
  const { key_id, node } = first;
  log.info(
    { key_id, node },
    `the first admin key was created by the node ${node}: it is in admin.key of its state dir`,
  );
}

async function writePrivate(dir: string, path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  // Creates a new file (wx), so that it follows no existing link and keeps no wider permissions of an existing file.
  await synced(await open(temporary, 'wx', 0o600), (file) => file.writeFile(text));
  await rename(temporary, path);
  await synced(await open(dir, 'r'));
}

async function synced(file: FileHandle, write?: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await write?.(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
