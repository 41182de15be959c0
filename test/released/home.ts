import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../kernel/index.ts';
import { shippedProgram } from '../helpers/program.ts';
import { unpack } from './pack.ts';

/** When the releases were used. */
export const madeAt: number = Date.UTC(2026, 0, 4, 12);

/** A little later. */
export const clock: Clock = {
  now: () => Math.floor(madeAt + 600_000 + performance.now()),
  monotonic: () => performance.now(),
};

/** A value of JSON with members. */
export type Json = Record<string, unknown>;

/** A home as a release left it, and what the release answered. */
export interface ReleasedHome {
  readonly home: string;
  saved(name: string): string;
  json(name: string): Json;
}

/** Makes a home as a release left it. */
export function openHome(version: string): ReleasedHome {
  const home = mkdtempSync(join(tmpdir(), 'orb-released-'));
  unpack(join(import.meta.dirname, `${version}.json`), home);
  const saved = (name: string): string => join(home, 'saved', name);
  return { home, saved, json: (name) => JSON.parse(readFileSync(saved(`${name}.json`), 'utf8')) as Json };
}

/** Runs a command of today in a folder; answers its exit code and what it said. */
export function orb(
  cwd: string,
  ...args: readonly string[]
): Promise<{ readonly exit: number; readonly said: string }> {
  const env = { PATH: process.env['PATH'], ORB_HOME: cwd };
  return new Promise((resolve) => {
    execFile(process.execPath, [shippedProgram, ...args], { cwd, env }, (error, stdout, stderr) =>
      resolve({ exit: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
}
