import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { packageDir } from '../../../helpers/folder.ts';
import { guideBlocks } from '../../../helpers/guide.ts';
import { pythonCommand } from '../../../helpers/python.ts';
import { createServed, type Served } from '../../../helpers/served.ts';
import { unpackClient } from '../built.ts';
import { installWheel, type InstalledWheel } from '../python/installed.ts';

/** A server with a home in which a reader of the pages has installed what they name. */
export interface Reader {
  readonly served: Served;
  readonly url: string;
  readonly key: string;
  /** The folder of the `python3` that has what the pages name, and where it finds the client. */
  readonly python: { readonly bin: string; readonly path: string };
  remove(): Promise<void>;
}

/** Makes such a server. */
export async function createReader(): Promise<Reader> {
  const wheel: InstalledWheel = await installWheel();
  const served = createServed();
  unpackClient(served.home);
  symlinkSync(join(packageDir, 'node_modules/ai'), join(served.home, 'node_modules/ai'));
  return {
    ...{ served, ...(await served.start()) },
    python: { bin: dirname(pythonCommand('python')), path: wheel.folder },
    async remove() {
      await served.remove();
      wheel.remove();
    },
  };
}

/** Saves the programs of a page in the home. */
export function savePrograms(page: string, { served: { home } }: Reader): void {
  for (const { code, file } of guideBlocks(page)) {
    if (file === undefined) continue;
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), code);
  }
}

/** How a program ended. */
export interface Ended {
  readonly end: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the home of a reader. */
export function runProgram(
  { key, python, served: { home }, url }: Reader,
  [command = '', ...args]: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<Ended> {
  const found = { PYTHONPATH: python.path, PATH: [python.bin, process.env['PATH']].join(delimiter) };
  const given = { ...process.env, ...found, ORB_URL: url, ORB_KEY: key, ...more };
  const child = spawn(command, args, { cwd: home, env: given, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => (printed[stream] += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ ...printed, end: signal ?? code }));
  });
}

/** Counts the mails in the outbox by their subject. */
export function countMails({ served: { stateDir } }: Reader): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of globSync(join(stateDir, 'outbox/*.eml'))) {
    const subject = /^Subject: (.*?)\r?$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
    counts.set(subject, (counts.get(subject) ?? 0) + 1);
  }
  return counts;
}
