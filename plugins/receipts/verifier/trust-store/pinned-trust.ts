import type { FactKind } from '../../format/fact-kind.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandCall } from '../../../../kernel/index.ts';
import { keyFile } from './key-file.ts';
import { parsePolicy } from '../../log/pure/policy-file.ts';
import { factsFile, readFacts } from '../../kinds/facts-file.ts';
import { readTrust, type Trust } from '../trust.ts';

/** Options of every verifying command: what to trust. */
export const trustOptions = [
  { flag: '--keys <file>', description: 'the public keys to trust (default: jwks.json of the state dir)' },
  {
    flag: '--policy <file>',
    description: 'logs and witnesses to trust (tlog-policy; default: the log keys of --keys)',
  },
  {
    flag: '--facts <file>',
    description:
      'kinds of facts of plugins that do not ship with the program (default: facts.json of the state dir, if it exists)',
  },
] as const;

/**
 * Reads what the caller trusts: `--keys` and `--policy`; prints the reason and answers undefined when unreadable.
 * `keysOptional`: a policy alone is sufficient.
 */
export async function readPinned(
  call: CommandCall,
  { keysOptional = false }: { readonly keysOptional?: boolean } = {},
): Promise<Trust | undefined> {
  const { keys, policy } = call.options;
  const quiet = keysOptional && typeof policy === 'string' && typeof keys !== 'string';
  const read = await readKeys(typeof keys === 'string' ? keys : join(call.stateDir, keyFile), quiet ? silent : call);
  const trust = read ?? (quiet ? { keys: [] } : undefined);
  if (trust === undefined) return undefined;
  const facts = await readFactsOf(call);
  if (facts === undefined) return undefined;
  if (typeof policy !== 'string') return { ...trust, facts };
  const content = await readFile(policy, 'utf8').catch(() => undefined);
  const parsed = content === undefined ? undefined : parsePolicy(content);
  if (parsed !== undefined) return { ...trust, facts, policy: parsed };
  call.note(`cannot read the file ${policy} as a tlog-policy`);
  return undefined;
}

// A file cannot change the kinds that are part of the program.
async function readFactsOf({ facts: declared, note, options, stateDir }: CommandCall): Promise<Trust['facts']> {
  // Plugins that ship declare kinds by `defineFact`.
  const facts = declared as readonly FactKind[];
  const named = typeof options['facts'] === 'string' ? options['facts'] : undefined;
  const path = named ?? join(stateDir, factsFile);
  let absent = false;
  const content = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    absent = code === 'ENOENT';
    return undefined;
  });
  // Without a file that is there, receipts of its kinds would not verify.
  if (absent && named === undefined) return facts;
  const read = content === undefined ? undefined : readFacts(content);
  if (read !== undefined) return [...facts, ...read.filter(({ kind }) => !facts.some((known) => known.kind === kind))];
  note(`cannot read the file ${path} as kinds of facts`);
  return undefined;
}

const silent: Pick<CommandCall, 'note'> = { note: () => undefined };

async function readKeys(path: string, { note }: Pick<CommandCall, 'note'>): Promise<Trust | undefined> {
  const content = await readFile(path, 'utf8').catch(() => undefined);
  if (content === undefined) {
    note(`cannot read the keys file ${path}; name one with --keys, for example a saved copy of /.well-known/jwks.json`);
    return undefined;
  }
  const trust = readTrust(content);
  if (trust === undefined) note(`the keys file ${path} is not a JWK Set`);
  return trust;
}
