// npm run build:package: the npm package of the program, in dist/. It holds the scripts of pages, built next to their
// modules: a package is installed without the bundler.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtScripts } from './sources.ts';

const root = resolve(import.meta.dirname, '../../..');
const built: string[] = [];
try {
  for await (const [path, text] of builtScripts(root)) {
    built.push(join(root, path));
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'dist'), { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', 'dist'], { cwd: root, stdio: 'inherit' });
} finally {
  for (const path of built) rmSync(path, { force: true });
}
