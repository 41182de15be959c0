import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonPackage } from './python.ts';
import { typescriptPackage } from './typescript.ts';

/** The packages of all clients, by the name of their file; the same sources always give the same bytes. */
export async function clientPackages(root: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const { license = '', version = '' } = JSON.parse(text('package.json')) as Record<string, string>;
  const scope = { root, version, license, text };
  return {
    [`agent-orb-${version}.tgz`]: await typescriptPackage(scope),
    [`agent_orb-${version}-py3-none-any.whl`]: pythonPackage(scope),
  };
}
