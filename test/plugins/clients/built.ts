import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as declared from '../../../plugins/clients/typescript/src/declared.ts';
import { packageDir } from '../../helpers/folder.ts';

/** The client as its package has it. */
export type Client = typeof declared;

/** Builds the packages of the clients, and answers the path of the tarball. */
export function buildClients(): string {
  execFileSync(process.execPath, [join(packageDir, 'plugins/clients/build/main.ts')], { cwd: packageDir });
  const folder = join(packageDir, 'dist/clients');
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('the tarball was not built');
  return join(folder, tarball);
}

/** A folder of a program that uses the client. */
export interface Installed {
  readonly folder: string;
  readonly client: Client;
  remove(): void;
}

/** Unpacks the built client where the programs of a folder find it, as npm does; answers the folder of the package. */
export function unpackClient(folder: string): string {
  const home = join(folder, 'node_modules/agent-orb');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', buildClients(), '-C', home, '--strip-components=1']);
  return home;
}

/** Unpacks the built client in a folder of its own. */
export async function installClient(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-client-'));
  const client = (await import(pathToFileURL(join(unpackClient(folder), 'index.js')).href)) as Client;
  return { folder, client, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Copies what the packages are built from to another folder. */
export function copySources(): string {
  const root = mkdtempSync(join(tmpdir(), 'orb-sources-'));
  for (const path of ['LICENSE', 'package.json', 'plugins/clients', 'plugins/receipts'])
    cpSync(join(packageDir, path), join(root, path), { recursive: true });
  // What the sources import is found, also where the packages take none of it.
  symlinkSync(join(packageDir, 'node_modules'), join(root, 'node_modules'));
  return root;
}
