import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fine, type Examination, type Finding } from './finding.ts';

const littleBytes = 1024 ** 3;
const none = 64 * 1024 ** 2;

/** Looks at the state dir: who can read what, and how much room is left. */
export const checkStateDir: Examination = ({ stateDir, env }) => {
  if (!existsSync(stateDir))
    return [{ name: 'state dir', state: 'skipped', detail: `${stateDir} is not there yet; the first start makes it` }];
  return [permissions(stateDir), masterKey(stateDir, env['ORB_MASTER_KEY']), room(stateDir)];
};

function permissions(stateDir: string): Finding {
  if (process.platform === 'win32') return { name: 'permissions', state: 'skipped', detail: 'of Windows are not read' };
  const wide = ['.', 'store.db', 'master.key', 'admin.key']
    .filter((name) => existsSync(join(stateDir, name)))
    .filter((name) => (statSync(join(stateDir, name)).mode & (name === 'store.db' ? 0o002 : 0o077)) !== 0);
  // The folder keeps others out of all that lies in it.
  if (wide.length === 0 || !wide.includes('.')) return fine('permissions', `${stateDir} is closed to other users`);
  return {
    name: 'permissions',
    state: 'fault',
    detail: `${stateDir} is open to other users of this machine`,
    remedy: `chmod 700 '${stateDir}'; then rotate what may have been read: the admin key, and the signing keys.`,
  };
}

function masterKey(stateDir: string, variable: string | undefined): Finding {
  const file = existsSync(join(stateDir, 'master.key'));
  if (variable !== undefined && file)
    return {
      name: 'master key',
      state: 'warning',
      detail: 'ORB_MASTER_KEY is set and master.key is there; the variable counts',
      remedy: 'Remove master.key once the platform has started with the variable.',
    };
  if (variable !== undefined) return fine('master key', 'is in ORB_MASTER_KEY');
  if (file)
    return fine('master key', 'lies in master.key, beside what it seals; ORB_MASTER_KEY would keep it elsewhere');
  if (!existsSync(join(stateDir, 'store.db'))) return fine('master key', 'is made at the first start');
  return {
    name: 'master key',
    state: 'fault',
    detail: 'there is a store, but neither ORB_MASTER_KEY nor master.key',
    remedy: 'Put the key back: without it the store cannot be opened.',
  };
}

function room(stateDir: string): Finding {
  const { bavail, bsize } = statfsSync(stateDir);
  const free = bavail * bsize;
  const detail = `${(free / 1024 ** 3).toFixed(1)} GiB are free`;
  if (free >= littleBytes) return fine('disk', detail);
  return {
    name: 'disk',
    state: free < none ? 'fault' : 'warning',
    detail,
    remedy: 'Make room: without it no receipt can be recorded, and runs are refused (503 storage_unavailable).',
  };
}
