import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandCall } from '../../../kernel/index.ts';
import { policyHome } from '../folder/home.ts';
import type { PolicyFile } from '../revisions/revision.ts';
import { isData } from '../revisions/revision.ts';
import { shippedFolder } from '../shipped.ts';

/** Answers the path a command was given, else the folder that the server of this ORB_HOME serves. */
export function pathOf({ args: [path], env }: CommandCall): string {
  return path ?? policyHome(resolve(env['ORB_HOME'] ?? '.'), shippedFolder).served();
}

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
