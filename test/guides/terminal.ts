import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { shippedProgram } from '../helpers/program.ts';

/** What one block printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** A shell that stays open from one block of a guide to the next, as the reader's does. */
export interface Terminal {
  /** Runs a script; rejects when one of its commands fails, or it says nothing for too long. */
  run(script: string): Promise<Printed>;
  /** Ends the shell. */
  close(): void;
}

/** How long one script may take: less than a test does, so that it fails with what was printed. */
const longestMs = 100_000;

/** Opens a shell in a folder; `npx orb` is the program of this checkout, and there is no other `npx`. */
export function openTerminal(folder: string): Terminal {
  const tools = mkdtempSync(join(tmpdir(), 'orb-terminal-'));
  writeFileSync(join(tools, 'npx'), npx);
  chmodSync(join(tools, 'npx'), 0o755);
  const PATH = [tools, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env: { PATH, LANG: 'C.UTF-8', HOME: folder } });
  shell.stdin.on('error', () => undefined).write('set -eo pipefail\n');
  let count = 0;
  return {
    async run(script) {
      if (ended(shell)) throw new Error('the shell has ended: a command of an earlier block failed');
      const file = join(tools, `block-${++count}`);
      const mark = `\0end of block ${count}\0\n`;
      writeFileSync(file, script);
      const printed = hear(shell, mark);
      // Sourced, so that variables stay; without the shell's own input, which is the blocks to come.
      const say = `printf '\\0end of block %s\\0\\n' ${count}`;
      shell.stdin.write(`{ . '${file}'; } </dev/null; ${say}; ${say} >&2\n`);
      const { whole, ...texts } = await printed;
      if (whole) return texts;
      throw new Error(
        `a command failed, or took too long (${shell.exitCode}), in\n${script}\n${Object.values(texts).join('')}`,
      );
    },
    close() {
      shell.kill('SIGKILL');
      rmSync(tools, { recursive: true, force: true });
    },
  };
}

/** Collects what a shell prints until it has said the mark on both streams, or has ended. */
function hear(shell: ChildProcessWithoutNullStreams, mark: string): Promise<Printed & { readonly whole: boolean }> {
  const heard = { stdout: '', stderr: '' };
  const patience = setTimeout(() => shell.kill('SIGKILL'), longestMs);
  return new Promise((resolve) => {
    const done = (whole: boolean): void => {
      clearTimeout(patience);
      for (const stream of [shell.stdout, shell.stderr]) stream.removeAllListeners('data');
      shell.removeAllListeners('close');
      const cut = (text: string): string => (whole ? text.slice(0, -mark.length) : text);
      resolve({ whole, stdout: cut(heard.stdout), stderr: cut(heard.stderr) });
    };
    for (const name of ['stdout', 'stderr'] as const)
      shell[name].setEncoding('utf8').on('data', (text: string) => {
        heard[name] += text;
        if (heard.stdout.endsWith(mark) && heard.stderr.endsWith(mark)) done(true);
      });
    shell.once('close', () => done(false));
  });
}

function ended({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

const npx = `#!/bin/sh
if [ "$1" != orb ]; then echo "npx $1: there is only orb here" >&2; exit 1; fi
shift
exec '${process.execPath}' '${shippedProgram}' "$@"
`;
