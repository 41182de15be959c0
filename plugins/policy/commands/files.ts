import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyFile } from '../revision.ts';
import { isData } from '../revision.ts';

/** Reads the policy files of a local folder, or one file, for a command. */
export function localFiles(path: string): readonly PolicyFile[] {
  if (!statSync(path).isDirectory())
    return [{ path: path.split('/').at(-1) ?? path, source: readFileSync(path, 'utf8') }];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')))
    .filter((name) => name.endsWith('.rego') || isData(name))
    .sort()
    .map((name) => ({ path: name, source: readFileSync(join(path, name), 'utf8') }));
}
