import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { besideSystemd, freeBytes } from '../../../kernel/maintenance.ts';
import { fine, type CommandCall, type Examination, type Finding } from '../../../kernel/index.ts';
import { storeName } from '../store-file.ts';
import { fault, skipped, warning } from './finding.ts';
import { serverAt } from './server.ts';

const littleBytes = 1024 ** 3;
const none = 64 * 1024 ** 2;
const anotherHome = `If the server has another home, set it with --home or ORB_HOME; with systemd: ${besideSystemd}`;

/** Examines the state dir: who can read its files, and how much space is left. */
export const checkStateDir: Examination = async (call) => {
  const { stateDir } = call;
  const absent = `${stateDir} does not exist yet; the first start creates it`;
  if (!existsSync(stateDir)) return [skipped('state dir', absent, anotherHome)];
  return [permissions(stateDir), await masterKey(call), room(stateDir)];
};

function permissions(stateDir: string): Finding {
  if (process.platform === 'win32') return skipped('permissions', 'are not checked on Windows');
  const wide = ['.', storeName, 'master.key', 'admin.key']
    .filter((name) => existsSync(join(stateDir, name)))
    .filter((name) => (statSync(join(stateDir, name)).mode & (name === storeName ? 0o002 : 0o077)) !== 0);
  // The mode of the folder keeps other users out of all files in it.
  if (wide.length === 0 || !wide.includes('.'))
    return fine('permissions', `${stateDir} is not accessible to other users`);
  const remedy = `chmod 700 '${stateDir}'; then rotate the keys that others may have read: the admin key and the signing keys.`;
  return fault('permissions', `${stateDir} is accessible to other users of this machine`, remedy);
}

async function masterKey(call: CommandCall): Promise<Finding> {
  const { stateDir } = call;
  const name = 'master key';
  const variable = call.env['ORB_MASTER_KEY'];
  const file = existsSync(join(stateDir, 'master.key'));
  if (variable !== undefined && file)
    return warning(
      name,
      'ORB_MASTER_KEY is set and master.key exists; the variable is used',
      'Remove master.key once the platform has started with the variable.',
    );
  if (variable !== undefined) return fine(name, 'is in ORB_MASTER_KEY');
  if (file)
    return fine(name, 'is in master.key, in the same folder as the store; set ORB_MASTER_KEY to keep it elsewhere');
  if (!existsSync(join(stateDir, storeName))) return fine(name, 'is created at the first start');
  const server = await serverAt(call);
  if (server !== undefined) return skipped(name, `is not here; the server at ${server} has it`);
  return fault(
    name,
    'a store exists, but neither ORB_MASTER_KEY nor master.key',
    'Restore the key, or set ORB_MASTER_KEY to the value that the server has: without it the store cannot be opened.',
  );
}

function room(stateDir: string): Finding {
  const free = freeBytes(stateDir);
  const detail = `${(free / 1024 ** 3).toFixed(1)} GiB are free`;
  if (free >= littleBytes) return fine('disk', detail);
  const remedy =
    'Free disk space: without it no receipt can be recorded, and runs are refused (503 storage_unavailable).';
  return (free < none ? fault : warning)('disk', detail, remedy);
}
