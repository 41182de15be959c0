import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../error.ts';
import { replaceFileSync, syncFolder } from '../tools/files.ts';
import type { NodeIdentity } from './contract.ts';

const form = '1 to 64 of a-z, 0-9 and -, and must not start or end with -';
const file = 'node';

/** Says why a text is no name of a node; undefined when it is one. */
export function nodeNameFault(name: string): string | undefined {
  return /^(?=.{1,64}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) ? undefined : `must be ${form}`;
}

/** Makes the identity of this start, named by ORB_NODE or in the state dir, whose lock is held. Throws ConfigError. */
export function findNode(stateDir: string, name?: string): NodeIdentity {
  const path = join(stateDir, file);
  const found = name ?? kept(path) ?? keep(stateDir, path, `node-${randomBytes(4).toString('hex')}`);
  const fault = nodeNameFault(found);
  if (fault !== undefined) throw new ConfigError([`${path}: ${fault}; remove the file, or set ORB_NODE`]);
  return Object.freeze({ name: found, incarnation: randomBytes(8).toString('hex') });
}

/** Finds the id that a state dir keeps, under its lock: of two processes with the same one, the earlier has ended. */
export function findPlace(stateDir: string): string {
  const path = join(stateDir, 'place');
  return kept(path) ?? keep(stateDir, path, randomBytes(16).toString('hex'));
}

function kept(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

// A name must be on disk before the first row that contains it.
function keep(stateDir: string, path: string, name: string): string {
  replaceFileSync(path, `${name}\n`);
  syncFolder(stateDir);
  return name;
}
