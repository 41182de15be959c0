import { randomBytes } from 'node:crypto';
import { PlatformError } from '../../../kernel/index.ts';
import { deskOf, type Desk, type DeskParts } from './signing-keys.ts';
import type { KeyRole, Position } from '../format/jwk.ts';
import { issueKeyEntry, type KeyFacts } from './entry.ts';
import { createLogKey, freezeLog, isBranch, openShard, shardNumber } from './shard.ts';
import { createKey, openSigner, type StoredKey } from '../issue/signer.ts';
import { problems } from '../problems.ts';

/** A change of the signing keys that somebody asks for. */
export type KeyChange = { readonly reason?: string; readonly principal?: string } & (
  | { readonly change: 'rotate'; readonly role: KeyRole }
  | { readonly change: 'revoke'; readonly kid: string; readonly from?: Position }
);

/** What became of a change; complete once the write resolves. */
export interface KeyChanged {
  role: KeyRole;
  /** The key that was made, or revoked. */
  kid: string;
  /** The key that no longer signs, or, of a revocation, the one that signs in its stead. */
  previous_kid?: string;
  successor_kid?: string;
  /** Of a log key: the new log. */
  origin?: string;
  /** Of a revocation: from where on. */
  from?: Position;
  /** Receipt of the change, and where it stands. */
  receipt_id: string;
  position: Position;
}

/** Refuses a revocation that makes no sense; marks the key, so that a second one in the same batch is refused too. */
export function admitRevocation(
  { kid, from }: { readonly kid: string; readonly from?: Position },
  parts: DeskParts,
): void {
  const key = parts.table.find(kid);
  if (key === undefined) throw new PlatformError('key_not_found', `there is no signing key ${kid}`);
  if (key.role === 'log')
    throw new PlatformError(
      problems.signing_key_conflict,
      'a log key is not revoked: rotate it, which freezes its log',
    );
  if (key.status === 'revoked') throw new PlatformError(problems.signing_key_conflict, `${kid} is revoked already`);
  if (from !== undefined) {
    const log = parts.reads.logs().find(({ origin }) => origin === from.origin);
    if (log === undefined || from.index > log.size)
      throw new PlatformError('invalid_body', `there is no position ${from.index} in ${from.origin} to revoke from`);
  }
  // Where from is known once the entry has its place.
  parts.table.revoke(kid, from ?? { origin: '', index: 0 });
}

/** Makes a change within the batch at hand, after its receipts; answers the desk that serves the next ones. */
export function changeKeys(change: KeyChange, changed: KeyChanged, desk: Desk, parts: DeskParts): Desk {
  if (change.change === 'revoke') return revoke(change, changed, desk, parts);
  switch (change.role) {
    case 'receipt':
      return rotateReceiptKey(change, changed, desk, parts);
    case 'certificate':
      return rotateCertificateKey(change, changed, desk, parts);
    case 'log':
      return rotateLog(change, changed, desk, parts);
  }
}

type Reasons = Pick<KeyFacts, 'reason' | 'principal'>;

function reasonsOf({ reason, principal }: KeyChange): Reasons {
  return { ...(reason === undefined ? {} : { reason }), ...(principal === undefined ? {} : { principal }) };
}

function makeKey(role: KeyRole, { scope, table }: DeskParts): StoredKey {
  const key = createKey(role, scope.sealer, scope.now());
  table.insert(key);
  return key;
}

// The old key names the new one, and signs nothing after that.
function rotateReceiptKey(change: KeyChange, changed: KeyChanged, desk: Desk, parts: DeskParts): Desk {
  const { kid: previous_kid } = desk.signer;
  const key = makeKey('receipt', parts);
  parts.table.retire(previous_kid);
  const facts = { change: 'rotated', previous_kid, ...reasonsOf(change) } as const;
  Object.assign(changed, { kid: key.kid, previous_kid, ...issueKeyEntry(key, facts, desk, parts) });
  return deskOf({ ...desk, signer: openSigner(key, parts.scope.sealer) }, parts);
}

function rotateCertificateKey(change: KeyChange, changed: KeyChanged, desk: Desk, parts: DeskParts): Desk {
  const { kid: previous_kid } = desk.certificate;
  const key = makeKey('certificate', parts);
  parts.table.retire(previous_kid);
  const facts = { change: 'rotated', previous_kid, ...reasonsOf(change) } as const;
  Object.assign(changed, { kid: key.kid, previous_kid, ...issueKeyEntry(key, facts, desk, parts) });
  return { ...desk, certificate: openSigner(key, parts.scope.sealer) };
}

// The last entry of the old shard names the new one; the first of the new one carries the old final checkpoint.
function rotateLog(change: KeyChange, changed: KeyChanged, desk: Desk, parts: DeskParts): Desk {
  const { reads } = parts;
  const old = reads.logs().find(({ log }) => log === desk.log.log);
  if (old === undefined) throw new Error(`the log ${desk.log.origin} is gone from the store`);
  const next = nextShard(old.shard);
  const key = createLogKey(next, parts);
  const facts = { previous_kid: old.kid, ...reasonsOf(change) };
  const { receipt_id, position } = issueKeyEntry(key, { change: 'rotated', ...facts }, desk, parts);
  desk.log.seal();
  freezeLog(old, parts);
  const previous_checkpoint = reads.newestCheckpoint(old.log)?.note ?? '';
  const opened = openShard(next, key, { previous_checkpoint, ...facts }, desk, parts);
  const { origin } = opened.desk.log;
  Object.assign(changed, { kid: key.kid, previous_kid: old.kid, origin, receipt_id, position });
  return opened.desk;
}

// After a restored backup there may be a second line of shards with the same numbers: names of ours stay apart from it.
function nextShard(shard: string): string {
  const number = shardNumber(shard) + 1;
  return isBranch(shard) ? `${number}-${randomBytes(4).toString('hex')}` : `${number}`;
}

function revoke(
  change: Extract<KeyChange, { change: 'revoke' }>,
  changed: KeyChanged,
  desk: Desk,
  parts: DeskParts,
): Desk {
  const { kid } = change;
  const { table } = parts;
  const key = table.find(kid);
  if (key === undefined) throw new Error(`the key ${kid} is gone from the store`);
  const after = succeed(kid, desk, parts);
  const from = change.from ?? { origin: after.log.origin, index: after.log.next };
  const facts = { change: 'revoked', from, ...reasonsOf(change) } as const;
  const entry = issueKeyEntry(key, facts, after, parts);
  table.revoke(kid, from);
  const successor_kid = key.role === 'receipt' ? after.signer.kid : after.certificate.kid;
  Object.assign(changed, { role: key.role, kid, successor_kid, from, ...entry });
  return after;
}

// A revoked key's word for its successor would count for nothing, so the successor of a receipt key speaks for itself.
function succeed(kid: string, desk: Desk, parts: DeskParts): Desk {
  const facts = { change: 'created', previous_kid: kid } as const;
  if (kid === desk.signer.kid) {
    const key = makeKey('receipt', parts);
    const after = deskOf({ ...desk, signer: openSigner(key, parts.scope.sealer) }, parts);
    issueKeyEntry(key, facts, after, parts);
    return after;
  }
  if (kid === desk.certificate.kid) {
    const key = makeKey('certificate', parts);
    issueKeyEntry(key, facts, desk, parts);
    return { ...desk, certificate: openSigner(key, parts.scope.sealer) };
  }
  return desk;
}
