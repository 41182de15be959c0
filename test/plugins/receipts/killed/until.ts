import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { runCommand } from '../../../helpers/command.ts';

/**
 * Runs a program on a state dir until it dies at a point: the statement that begins so, after it ran `after` times.
 * Answers the receipts it was told are there.
 */
export async function killedAt(program: string, dir: string, point: string, after: number): Promise<string[]> {
  const env = { ...process.env, KILL_AT: point, KILL_AFTER: String(after) };
  const child = spawn(process.execPath, [program, dir], { env, stdio: 'inherit' });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).to.equal('SIGKILL');
  const [first, ...acknowledged] = readFileSync(join(dir, 'acknowledged'), 'utf8').trim().split('\n');
  expect(first).to.equal('started');
  return acknowledged;
}

/** Expects `orb log fsck` to find nothing wrong with a state dir. */
export async function expectSound(stateDir: string): Promise<void> {
  const { exit, value } = await runCommand(fsckCommand, stateDir);
  expect(exit, JSON.stringify(value)).to.equal(0);
}
