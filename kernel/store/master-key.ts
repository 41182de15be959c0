import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../error.ts';
import type { Sealer } from './contract.ts';
import { syncFolder } from '../tools/files.ts';

interface MasterKeySource {
  readonly stateDir: string;
  /** Value of ORB_MASTER_KEY. */
  readonly value: string | undefined;
  /** Then no new key is made. */
  readonly storeExists: boolean;
}

const form = 'must be 32 bytes, as 64 hex digits or as base64url';

/** Finds the master key: ORB_MASTER_KEY, else `master.key`, made for a new store only. Throws ConfigError. */
export function findMasterKey({ stateDir, value, storeExists }: MasterKeySource): Uint8Array {
  const found = readMasterKey({ stateDir, value });
  if (found !== undefined) return found;
  const path = pathIn(stateDir);
  if (storeExists)
    throw new ConfigError([
      `ORB_MASTER_KEY: is not set and ${path} is missing; restore the master key: the store in this folder cannot be opened without it`,
    ]);
  return create(path, stateDir);
}

/** Reads the master key, and makes none; undefined: it is in neither place. Throws ConfigError when it is malformed. */
export function readMasterKey({ stateDir, value }: Omit<MasterKeySource, 'storeExists'>): Uint8Array | undefined {
  if (value !== undefined) return parse(value, `ORB_MASTER_KEY: ${form}`);
  const path = pathIn(stateDir);
  return existsSync(path) ? parse(readFileSync(path, 'utf8').trim(), `${path}: ${form}`) : undefined;
}

function pathIn(stateDir: string): string {
  return join(stateDir, 'master.key');
}

/** Makes the value by which a store knows its master key: it opens only under the key of this installation. */
export function sealedCheckOf(sealer: Sealer, installation: string): Uint8Array {
  return sealer.seal('check', Buffer.from(installation));
}

/** Throws ConfigError when the master key of a sealer is not the one that the store was made with. */
export function checkMasterKey(sealer: Sealer, sealedCheck: Uint8Array): void {
  try {
    sealer.open('check', sealedCheck);
  } catch {
    throw new ConfigError([
      'ORB_MASTER_KEY: the variable, or master.key in the state dir, is not the master key of this store; restore the right key',
    ]);
  }
}

function parse(text: string, fault: string): Uint8Array {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Uint8Array.from(Buffer.from(text, 'hex'));
  const bytes = Uint8Array.from(Buffer.from(text, 'base64url'));
  // The round trip refuses characters that the lenient decoder skips.
  if (bytes.length !== 32 || Buffer.from(bytes).toString('base64url') !== text.replace(/=$/, ''))
    throw new ConfigError([fault]);
  return bytes;
}

function create(path: string, stateDir: string): Uint8Array {
  const key = Uint8Array.from(randomBytes(32));
  const file = openSync(path, 'wx', 0o600);
  writeSync(file, `${Buffer.from(key).toString('hex')}\n`);
  fsyncSync(file);
  closeSync(file);
  // The key must reach the disk before the first value sealed under it.
  syncFolder(stateDir);
  return key;
}
