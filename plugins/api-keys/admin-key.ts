import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../kernel/index.ts';
import { issueKey, type Issuer } from './issue.ts';
import type { KeyReads } from './store.ts';
import { generateToken } from './token.ts';

// Name of the file in the state dir that holds the first key and a newline.
const adminKeyFile = 'admin.key';

/**
 * Makes the first key (live, `*`, tenant `default`) when no key was ever created. Writes the file before the key is
 * valid: a crash in between leaves a file that the next start replaces, never a valid key that is lost.
 */
export async function ensureAdminKey(issuer: Issuer, reads: KeyReads, stateDir: string, log: Log): Promise<void> {
  if (await reads.any()) return;
  const token = generateToken('live');
  const path = join(stateDir, adminKeyFile);
  await writePrivate(stateDir, path, `${token}\n`);
  const owner = { id: issuer.ids('prn'), name: 'admin', tenant: 'default' };
  const { key_id, principal } = await issueKey(issuer, { owner, name: 'admin', scopes: ['*'], mode: 'live' }, token);
  log.info({ key_id, principal, file: path }, 'the first admin key was created; the file holds it');
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
