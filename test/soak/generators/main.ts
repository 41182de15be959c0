// node test/soak/generators/main.ts [name...]: each generator of the table makes a client of the OpenAPI document, which is built
// and calls a server. Needs Go, Java and Maven, and gets the rest by them. One line per generator; exit 0 when all worked, else 1.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { generators, type Generator } from './generators.ts';

const minutesPerCommand = 15;
const wanted = { status: 'completed', text: true, verified: true, same: true, of_a_run: true, code: 'invalid_inputs' };

async function place(folder: string, { files }: Generator, document: string): Promise<void> {
  const given = { ...files, 'openapi.json': document };
  await mkdir(join(folder, 'client'));
  for (const [path, text] of Object.entries(given)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    if (!text.startsWith('program:')) await writeFile(join(folder, path), text);
    else await cp(join(import.meta.dirname, 'programs', text.slice('program:'.length)), join(folder, path));
  }
}

/** Says what is wrong with a generator; undefined when its client works. */
async function faultOf(generator: Generator, platform: TestPlatform, document: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'orb-generator-'));
  const options = { cwd: folder, timeout: minutesPerCommand * 60_000, maxBuffer: 64 * 1024 * 1024 };
  try {
    await place(folder, generator, document);
    for (const { does, command } of generator.steps) {
      const [program, ...args] = does === 'call' ? [...command, platform.url, platform.adminKey] : command;
      const told = await promisify(execFile)(String(program), args, options).catch((failure: unknown) => ({ failure }));
      if ('failure' in told) return `${does}: ${wordsOf(told.failure)}`;
      if (does === 'call' && !isDeepStrictEqual(JSON.parse(told.stdout), wanted)) return `${does}: ${told.stdout}`;
    }
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// A program that is missing has no output; a key that a client printed stays out of the report.
function wordsOf(failure: unknown): string {
  const { code, killed, stderr = '', stdout = '' } = failure as Readonly<Record<string, string | undefined>>;
  const said = `${stdout}\n${stderr}`
    .trim()
    .slice(-2000)
    .replaceAll(/orb_(live|test)_\w+/g, 'orb_$1_…');
  return `${killed ? 'ended after its time' : `failed with ${String(code)}`}\n${said}`;
}

const names = process.argv.slice(2);
const chosen = generators.filter(({ name }) => names.length === 0 || names.includes(name));
if (chosen.length === 0) {
  console.error(`name one of: ${generators.map(({ name }) => name).join(', ')}`);
  process.exit(64);
}
const platform = await startPlatform();
try {
  const document = JSON.stringify((await platform.call('GET', '/openapi.json', undefined, null)).body);
  for (const generator of chosen) {
    const fault = await faultOf(generator, platform, document);
    console.log(`${generator.name} ${generator.version}: ${fault ?? 'generates, builds, and calls a server'}`);
    if (fault !== undefined) process.exitCode = 1;
  }
} finally {
  await platform.stop();
}
