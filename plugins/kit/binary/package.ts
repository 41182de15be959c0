// npm run build:package: the npm package of the program, in dist/. It holds the scripts of pages, built next to their
// modules, and the packages of the clients: a package is installed without the bundler.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtScripts } from './sources.ts';

const root = resolve(import.meta.dirname, '../../..');
const built: string[] = [];
try {
  execFileSync('npm', ['run', '--silent', 'build:clients'], { cwd: root, stdio: 'inherit' });
  built.push(join(root, 'plugins/clients/built'));
  cpSync(join(root, 'dist/clients'), join(root, 'plugins/clients/built'), { recursive: true });
  for await (const [path, text] of builtScripts(root)) {
    built.push(join(root, path));
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'dist'), { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', 'dist'], { cwd: root, stdio: 'inherit' });
} finally {
  for (const path of built) rmSync(path, { force: true, recursive: true });
}
