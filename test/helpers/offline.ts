import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A network that has nothing but its own loopback (Linux). */
export interface Offline {
  /** Words before a command, which is then in this network. */
  readonly within: readonly string[];
  end(): void;
}

/** Makes a network without a way out; it needs `unshare`, `nsenter` and `ip`. */
export async function cutNetwork(): Promise<Offline> {
  // Without root, it needs a user of its own.
  const isRoot = process.getuid?.() === 0;
  const hold = ['sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'];
  const child = spawn('unshare', [...(isRoot ? [] : ['-r']), '-n', ...hold], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close').then(() => Promise.reject(new Error('a network could not be made')));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  const user = isRoot ? [] : ['--user', '--preserve-credentials'];
  return {
    within: ['nsenter', '--target', String(child.pid), ...user, '--net'],
    end: () => void child.kill('SIGKILL'),
  };
}
