import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const program = join(import.meta.dirname, 'go');

/**
 * Builds the program that checks a log by libraries of others (Go: x/mod/sumdb/note and tlog), in a folder, and answers
 * its path. Undefined when Go or its modules are not to be had.
 */
export function buildLogChecker(folder: string): string | undefined {
  const go = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
    .map((place) => join(place, 'go'))
    .find((path) => existsSync(path));
  if (go === undefined) return undefined;
  const binary = join(folder, 'log-checker');
  const { status, stderr } = spawnSync(go, ['build', '-o', binary, '.'], { cwd: program, encoding: 'utf8' });
  if (status === 0) return binary;
  if (/dial tcp|no such host|connection refused|i\/o timeout/.test(stderr)) return undefined;
  throw new Error(stderr);
}
