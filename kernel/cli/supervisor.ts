import { spawn } from 'node:child_process';
import type { Environment } from '../boot/state-dir.ts';

/**
 * Tells systemd that the service is ready or stops, where it asks for that (`Type=notify`). Node opens no datagram
 * socket of a path, so systemd's own command says it; without that command nothing is told.
 */
export function tellSupervisor(env: Environment, what: 'ready' | 'stopping'): void {
  if (env['NOTIFY_SOCKET'] === undefined) return;
  const child = spawn('systemd-notify', [`--${what}`], { env: { ...env }, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
