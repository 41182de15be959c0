// npm run build:package: the npm package of the program, in dist/. It holds the scripts of pages, built next to their
// modules, and the packages of the clients: a package is installed without the bundler.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledScript } from '../../pages/contract.ts';
import { pageModules } from './sources.ts';

const root = resolve(import.meta.dirname, '../../..');
const built = (module: string): string => join(root, module.replace(/\.ts$/, '.js'));
const clients = join(root, 'plugins/clients/built');
try {
  execFileSync('npm', ['run', '--silent', 'build:clients'], { cwd: root, stdio: 'inherit' });
  cpSync(join(root, 'dist/clients'), clients, { recursive: true });
  for (const module of pageModules(root))
    writeFileSync(built(module), await bundledScript(pathToFileURL(join(root, module)))());
  mkdirSync(join(root, 'dist'), { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', 'dist'], { cwd: root, stdio: 'inherit' });
} finally {
  for (const module of pageModules(root)) rmSync(built(module), { force: true });
  rmSync(clients, { recursive: true, force: true });
}
