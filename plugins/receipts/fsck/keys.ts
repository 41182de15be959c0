import type { Connection, Row } from '../../../kernel/index.ts';
import { decodeBase64Url } from '../format/base64.ts';
import { thumbprint, type PublicKey } from '../format/jwk.ts';
import { publicKeyOf } from '../keys/key-tables.ts';
import type { KeyPredicate } from '../kinds/key.ts';
import { predicateIn } from '../log/stored/link.ts';
import type { LogRow } from '../log/stored/tables.ts';
import type { Reads } from '../store.ts';
import type { Trust } from '../verifier/trust.ts';
import { othersOf } from './linked.ts';
import { flawAt, type Flaw } from './tree.ts';

/** What an entry of a log says of a key. */
type Attested = Pick<KeyPredicate, 'kid' | 'facts'>;

/**
 * Checks the rows of the signing keys, from which a start takes the keys that it signs with and publishes: against the
 * entries of the logs that attest them, against the pinned keys, and for the keys that a start needs.
 */
export function checkKeys(
  connection: Pick<Connection, 'prepare'>,
  reads: Reads,
  logs: readonly LogRow[],
  { keys: pinned }: Trust,
): Flaw[] {
  // All columns: a store of an earlier version has fewer.
  const rows = connection.prepare('SELECT * FROM receipts_signing_keys ORDER BY kid').all();
  const keys = rows.map(publicKeyOf);
  const entries = attestedKeys(reads, logs);
  const longest = Math.max(...rows.map(sealedLength));
  const damaged = rows
    .filter((row) => sealedLength(row) !== longest)
    .map(({ kid }) => keyFlaw(kid, 'its sealed seed is truncated'));
  return [
    ...damaged,
    ...keys.flatMap((key) => rowFlaws(key, entries, pinned)),
    ...entries.flatMap((entry) => entryFlaws(entry, keys)),
    ...logs.flatMap(({ kid, origin }) => {
      const found = keys.some((key) => key.kid === kid && key.role === 'log' && key.origin === origin);
      return found ? [] : [keyFlaw(kid, `signs the log ${origin}, but the store has no log key with this id for it`)];
    }),
    ...activeFlaws(keys),
  ];
}

function attestedKeys(reads: Reads, logs: readonly LogRow[]): Attested[] {
  const found: Attested[] = [];
  for (const { log } of logs)
    for (const row of othersOf(reads, log)) {
      // The receipts themselves are checked elsewhere: their schema knows these members.
      const predicate = predicateIn(row) as (Attested & Readonly<Record<string, unknown>>) | undefined;
      if (predicate !== undefined && typeof predicate.kid === 'string') found.push(predicate);
    }
  return found;
}

function rowFlaws(key: PublicKey, entries: readonly Attested[], pinned: Trust['keys']): Flaw[] {
  const { kid, role, status } = key;
  const faults: string[] = [];
  if (thumbprint(key.public_key) !== kid) faults.push('its public key does not match its id');
  const known = pinned.find((one) => one.kid === kid);
  if (known !== undefined && known.role !== role)
    faults.push(`its role is ${role}, but the role of the pinned key is ${known.role}`);
  if (known?.revoked === true && status !== 'revoked') faults.push(`it is ${status}, but the pinned key is revoked`);
  const own = entries.filter((entry) => entry.kid === kid);
  // In a shared store, a node publishes its key with the first entry of its log.
  const waits = key.node !== undefined && status === 'active';
  if (own.length === 0 && !waits) faults.push('no log entry published it');
  const replaced = entries.some(({ facts }) => facts.change === 'rotated' && facts.previous_kid === kid);
  const revocation = own.find(({ facts }) => facts.change === 'revoked')?.facts;
  if ((revocation !== undefined) !== (status === 'revoked'))
    faults.push(
      revocation === undefined
        ? 'it is revoked, but no log entry revoked it'
        : `it is ${status}, but a log entry revoked it`,
    );
  else if (revocation !== undefined && !isSamePlace(revocation.from, key.revoked_at))
    faults.push('it is revoked from a position that differs from its log entry');
  else if (status === 'active' && replaced) faults.push('it is active, but a log entry replaced it');
  return faults.map((what) => keyFlaw(kid, what));
}

function entryFlaws({ facts, kid }: Attested, keys: readonly PublicKey[]): Flaw[] {
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined) return [keyFlaw(kid, 'a log entry published it, but it is missing from the store', 5)];
  const same =
    key.role === facts.role &&
    key.origin === facts.origin &&
    Buffer.compare(key.public_key, decodeBase64Url(facts.public_key.x) ?? new Uint8Array()) === 0;
  return same ? [] : [keyFlaw(kid, 'its row differs from its log entry')];
}

// A start makes a certificate key that is missing, and refuses every other number of active keys than one.
function activeFlaws(keys: readonly PublicKey[]): Flaw[] {
  const active = keys.filter(({ role, status }) => role !== 'log' && status === 'active');
  const names = active.map(({ node = '', role }) => `${role} keys${node === '' ? '' : ` of the node ${node}`}`);
  const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  const none = active.some(({ role }) => role === 'receipt') ? [] : ['no receipt key is active'];
  const what = [...twice.map((name) => `several ${name} are active`), ...none];
  return what.map((fault) => flawAt('signing keys', `${fault}; exactly one must be active`));
}

function isSamePlace(one: PublicKey['revoked_at'], other: PublicKey['revoked_at']): boolean {
  return one?.origin === other?.origin && one?.index === other?.index;
}

// All seeds are sealed in the same way. Those of active keys are also opened if the master key is available.
function sealedLength({ sealed }: Row): number {
  return sealed instanceof Uint8Array ? sealed.length : 0;
}

function keyFlaw(kid: unknown, what: string, exit?: Flaw['exit']): Flaw {
  return flawAt(`signing key ${String(kid)}`, what, exit);
}
