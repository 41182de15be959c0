import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandCall } from '../../../kernel/index.ts';
import { keyFile } from '../format/key-file.ts';
import { parsePolicy } from '../log/pure/policy-file.ts';
import { readTrust, type Trust } from './trust.ts';

/** Options of every command that verifies: what to trust. */
export const trustOptions = [
  { flag: '--keys <file>', description: 'the public keys to trust (default: jwks.json of the state dir)' },
  {
    flag: '--policy <file>',
    description: 'logs and witnesses to trust (tlog-policy; default: the log keys of --keys)',
  },
] as const;

/**
 * Reads what the caller trusts: `--keys` and `--policy`; says why and answers undefined when it cannot be read.
 * `keysOptional`: a policy alone is enough.
 */
export async function readPinned(
  call: CommandCall,
  { keysOptional = false }: { readonly keysOptional?: boolean } = {},
): Promise<Trust | undefined> {
  const { keys, policy } = call.options;
  const quiet = keysOptional && typeof policy === 'string' && typeof keys !== 'string';
  const read = await readKeys(typeof keys === 'string' ? keys : join(call.stateDir, keyFile), quiet ? silent : call);
  const trust = read ?? (quiet ? { keys: [] } : undefined);
  if (trust === undefined || typeof policy !== 'string') return withFacts(trust, call);
  const content = await readFile(policy, 'utf8').catch(() => undefined);
  const parsed = content === undefined ? undefined : parsePolicy(content);
  if (parsed !== undefined) return withFacts({ ...trust, policy: parsed }, call);
  call.note(`cannot read the file ${policy} as a tlog-policy`);
  return undefined;
}

function withFacts(trust: Trust | undefined, { facts }: CommandCall): Trust | undefined {
  return trust === undefined ? undefined : { ...trust, facts };
}

const silent: Pick<CommandCall, 'note'> = { note: () => undefined };

async function readKeys(path: string, { note }: Pick<CommandCall, 'note'>): Promise<Trust | undefined> {
  const content = await readFile(path, 'utf8').catch(() => undefined);
  if (content === undefined) {
    note(`cannot read the keys file ${path}: name one with --keys, e.g. a saved copy of /.well-known/jwks.json`);
    return undefined;
  }
  const trust = readTrust(content);
  if (trust === undefined) note(`the keys file ${path} is not a JWK Set`);
  return trust;
}
