import { given, PlatformError } from '../../../../kernel/index.ts';
import { addKey, withIssue, type SigningKeys, type SigningParts } from '../signing-keys.ts';
import type { KeyRole, Position, PublicKey } from '../../format/jwk.ts';
import { boundsOf } from './revocation-bounds.ts';
import { issueKeyEntry, type KeyFacts } from '../entry.ts';
import type { KeyChanged } from '../key-schema.ts';
import { addLogKey, freezeLog, nextShard, openShard } from './shard.ts';
import { openSigner, type StoredKey } from '../../issue/signer.ts';
import { problems } from '../../problems.ts';

/** A requested change of the signing keys. */
export type KeyChange = { readonly reason?: string; readonly principal?: string } & (
  | { readonly change: 'rotate'; readonly role: KeyRole }
  | { readonly change: 'revoke'; readonly kid: string; readonly from?: Position }
);

/** Refuses an invalid revocation; marks the key, so that a second one in the same batch is refused too. */
export async function admitRevocation({ kid, from }: Revocation['change'], parts: SigningParts): Promise<void> {
  const key = await parts.table.find(kid);
  if (key === undefined)
    throw new PlatformError('key_not_found', `there is no signing key ${kid}; GET /.well-known/jwks.json lists them`);
  const refusal = (why: string) => new PlatformError(problems.signing_key_conflict, why);
  if (key.role === 'log') throw refusal('a log key cannot be revoked; rotate it instead, which ends its log');
  if (key.status === 'revoked') throw refusal(`${kid} is already revoked`);
  if (from !== undefined) {
    const log = (await parts.reads.logs()).find(({ origin }) => origin === from.origin);
    if (log === undefined || from.index > log.size)
      throw new PlatformError('invalid_body', `the log ${from.origin} has no position ${from.index} to revoke from`);
  }
  // The default position is known only when the entry is issued.
  parts.table.revoke(kid, from ?? { origin: '', index: 0 });
}

/** A change of the keys in a batch; its result is complete when the batch commits. */
export interface Change<C extends KeyChange = KeyChange> {
  readonly change: C;
  readonly changed: KeyChanged;
}

/** Changes keys within the current batch, after its receipts; answers the keys that sign from then on. */
export async function changeKeys(made: Change, signing: SigningKeys, parts: SigningParts): Promise<SigningKeys> {
  const { change, changed } = made;
  if (change.change === 'revoke') return revoke({ change, changed }, signing, parts);
  return change.role === 'log' ? rotateLog(made, signing, parts) : rotateKey(made, change.role, signing, parts);
}

function reasonsOf({ reason, principal }: KeyChange): Pick<KeyFacts, 'reason' | 'principal'> {
  return given({ reason, principal });
}

type Role = 'receipt' | 'certificate';

// The last act of the old key is to sign the entry of the new key.
function rotateKey({ change, changed }: Change, role: Role, signing: SigningKeys, parts: SigningParts): SigningKeys {
  const { kid: previous_kid } = role === 'receipt' ? signing.signer : signing.certificate;
  const key = addKey(role, parts);
  parts.table.retire(previous_kid);
  const facts = { change: 'rotated', previous_kid, ...reasonsOf(change) } as const;
  Object.assign(changed, { kid: key.kid, previous_kid, ...issueKeyEntry(key, facts, signing, parts) });
  return signingWith(key, signing, parts);
}

/** Replaces the signing key of a role with a new key. */
function signingWith(key: StoredKey, signing: SigningKeys, parts: SigningParts): SigningKeys {
  const signer = openSigner(key, parts.scope.sealer);
  return key.role === 'receipt' ? withIssue({ ...signing, signer }, parts) : { ...signing, certificate: signer };
}

// The last entry of the old shard names the new shard; the first entry of the new one holds the old final checkpoint.
async function rotateLog({ change, changed }: Change, signing: SigningKeys, parts: SigningParts): Promise<SigningKeys> {
  const { reads } = parts;
  const old = (await reads.logs()).find(({ log }) => log === signing.log.log);
  if (old === undefined) throw new Error(`the log ${signing.log.origin} is missing from the store`);
  const next = await nextShard(old.shard, parts);
  const key = addLogKey(next, parts);
  const facts = { previous_kid: old.kid, ...reasonsOf(change) };
  const { receipt_id, position } = issueKeyEntry(key, { change: 'rotated', ...facts }, signing, parts);
  signing.log.seal();
  freezeLog(old, parts);
  const previous_checkpoint = (await reads.newestCheckpoint(old.log))?.note ?? '';
  const opened = await openShard(next, key, { follows: old.origin, previous_checkpoint, ...facts }, signing, parts);
  const { origin } = opened.log;
  Object.assign(changed, { kid: key.kid, previous_kid: old.kid, origin, receipt_id, position });
  return opened;
}

type Revocation = Change<Extract<KeyChange, { change: 'revoke' }>>;

async function revoke(revocation: Revocation, signing: SigningKeys, parts: SigningParts): Promise<SigningKeys> {
  const { change, changed } = revocation;
  const { kid } = change;
  const { table } = parts;
  const key = await table.find(kid);
  if (key === undefined) throw new Error(`the key ${kid} is missing from the store`);
  const after = succeed(kid, signing, parts);
  const from = change.from ?? (await endOf(key, parts)) ?? { origin: after.log.origin, index: after.log.next };
  const stands = await boundsOf(key, from, parts);
  const bounds = stands.length === 0 ? {} : { stands: [...stands] };
  const facts = { change: 'revoked', from, ...bounds, ...reasonsOf(change) } as const;
  const entry = issueKeyEntry(key, facts, after, parts);
  table.revoke(kid, from, stands);
  const successor_kid = key.role === 'receipt' ? after.signer.kid : after.certificate.kid;
  Object.assign(changed, { role: key.role, kid, successor_kid, from, ...entry });
  return after;
}

/** The end of the last log of another node, if the key belongs to it: that node has ended, and its log is frozen. */
async function endOf({ node }: PublicKey, { reads, scope }: SigningParts): Promise<Position | undefined> {
  if (node === undefined || node === scope.node.name) return undefined;
  const theirs = new Set((await reads.owners()).filter((owner) => owner.node === node).map(({ log }) => log));
  const last = (await reads.logs()).findLast(({ log }) => theirs.has(log));
  return last === undefined ? undefined : { origin: last.origin, index: last.size };
}

// An entry signed by a revoked key would not count, so the successor of a receipt key signs its own entry.
function succeed(kid: string, signing: SigningKeys, parts: SigningParts): SigningKeys {
  const { certificate, signer } = signing;
  if (kid !== signer.kid && kid !== certificate.kid) return signing;
  const key = addKey(kid === signer.kid ? 'receipt' : 'certificate', parts);
  const after = signingWith(key, signing, parts);
  issueKeyEntry(key, { change: 'created', previous_kid: kid }, after, parts);
  return after;
}
