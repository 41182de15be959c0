// npm run build:kit: builds the package `agent-orb-kit` for authors in dist/kit, and packs it as
// dist/agent-orb-kit-<version>.tgz. Without `--pack` it makes the folder alone. Nothing is built when the sources have
// not changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const target = join(root, 'dist/kit');
const stamp = 'sources.sha256';

const sources = digestOfSources();
if (!isBuilt()) await build();
if (process.argv.includes('--pack')) pack();

function isBuilt(): boolean {
  const file = join(target, stamp);
  return existsSync(file) && readFileSync(file, 'utf8') === sources;
}

/** Builds in a folder next to the last build and replaces that build when the new one is complete. */
async function build(): Promise<void> {
  const temporary = `${target}-${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  try {
    // The bundlers are installed for development only; a package that is built already needs none of them.
    const { writePackage } = await import('./package.ts');
    await writePackage(root, join(temporary, 'agent-orb-kit'));
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

function pack(): void {
  const options = { cwd: join(target, 'agent-orb-kit'), encoding: 'utf8' } as const;
  const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', join(root, 'dist')], options).trim();
  console.log(join(root, 'dist', name));
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  const folders = ['kernel', 'plugins', 'providers/vendor'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && (/\.c?[jt]s$/.test(entry.name) || entry.parentPath.includes('/kit')))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...folders.sort(), join(root, 'package.json'), join(root, 'LICENSE')]) {
    const text = readFileSync(file);
    hash.update(`${file.slice(root.length)}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}
