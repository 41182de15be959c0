import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonPackage } from './python.ts';
import { typescriptPackage } from './typescript.ts';

/** The packages of all clients, by the name of their file; the same sources always give the same bytes. */
export async function clientPackages(root: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const { license, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  const scope = { root, version: version ?? '', license: license ?? '' };
  return {
    [`agent-orb-${scope.version}.tgz`]: await typescriptPackage(scope),
    [`agent_orb-${scope.version}-py3-none-any.whl`]: pythonPackage(scope),
  };
}
