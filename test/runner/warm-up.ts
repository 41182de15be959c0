import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serverFlags } from '../helpers/lean-wasm.ts';
import { shippedSettings } from '../helpers/shipped-settings.ts';

// After this time a thread keeps what it has compiled (load-compiled.mjs).
const threadsMs = 2000;
const mostMs = 120_000;

/**
 * Starts a bundle of the program as the tests start it, with their flags and without, and ends it: what it has compiled
 * is kept for those that come after it.
 */
export async function warmUp(program: string): Promise<void> {
  await Promise.all([serverFlags, []].map((flags) => serveOnce([...flags, program, 'serve', '--json'])));
}

// A program that does not start fails in the tests, with their names.
async function serveOnce(words: readonly string[]): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'orb-warm-'));
  mkdirSync(join(home, 'data'));
  const plugins = { policy: { config: { build_compiler: false } } };
  const settings = { ...shippedSettings(), listen: [{ address: '127.0.0.1:0' }], plugins };
  writeFileSync(join(home, 'data/platform.json'), JSON.stringify(settings));
  const env = { PATH: process.env['PATH'], ORB_LOG_LEVEL: 'error', SUITE_WARM_MS: String(threadsMs) };
  const child = spawn(process.execPath, words, {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    // The run waits for its end.
    timeout: mostMs,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  await pause(threadsMs * 1.25);
  child.kill('SIGTERM');
  await ended;
  rmSync(home, { recursive: true, force: true });
}
