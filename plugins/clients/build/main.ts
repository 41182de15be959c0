// npm run build:clients: builds the packages of the client libraries in dist/clients. Nothing is built when the sources
// have not changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const target = join(root, 'dist/clients');
const stamp = 'sources.sha256';

const sources = digestOfSources();
if (!isBuilt()) await build();

function isBuilt(): boolean {
  const file = join(target, stamp);
  return existsSync(file) && readFileSync(file, 'utf8') === sources;
}

/** Builds in a folder next to the last build and replaces that build when the new one is complete. */
async function build(): Promise<void> {
  const temporary = `${target}-${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  try {
    // The bundler is installed for development only; packages that are built already need none.
    const { clientPackages } = await import('./packages.ts');
    for (const [name, bytes] of Object.entries(await clientPackages(root))) writeFileSync(join(temporary, name), bytes);
    writeFileSync(join(temporary, stamp), sources);
    replace(temporary);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Moves the build to its place, unless another process has built the same meanwhile. */
function replace(built: string): void {
  try {
    if (isBuilt()) return;
    rmSync(target, { recursive: true, force: true });
    renameSync(built, target);
  } catch (error) {
    if (!isBuilt()) throw error;
  }
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  const files = ['plugins/clients', 'plugins/receipts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('/vectors'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...files.sort(), join(root, 'package.json'), join(root, 'LICENSE')]) {
    const text = readFileSync(file);
    hash.update(`${file.slice(root.length)}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}
