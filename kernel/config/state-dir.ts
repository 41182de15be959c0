import { join, resolve } from 'node:path';

/** Environment variables as the process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Finds the state dir: ORB_STATE_DIR, else `data/state` in ORB_HOME. */
export function stateDirOf(env: Environment, cwd: string): string {
  const home = resolve(cwd, env['ORB_HOME'] ?? '.');
  return resolve(cwd, env['ORB_STATE_DIR'] ?? join(home, 'data', 'state'));
}
