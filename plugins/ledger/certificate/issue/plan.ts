import type { CertificateStatus } from '../format/report.ts';
import { type ListingChange, type LogSize, type OrbReputation } from '../../contract.ts';
import type { CertificateKey } from '../format/did.ts';
import { dayMs } from '../format/day.ts';
import { isBefore, isRefused } from '../format/position.ts';
import type { StoredCertificate } from './tables.ts';
import type { Tier } from '../../shapes.ts';
import { rankOf } from '../../tier/gates.ts';
import { certificateUrl } from '../format/certificate-url.ts';

/** One step for the certificates of an Orb; the reason is kept in the history only. */
export type Step =
  | { readonly step: 'revoke' | 'suspend' | 'lift'; readonly id: string; readonly reason: string }
  | { readonly step: 'issue'; readonly tier: Tier; readonly reason: string };

/** The inputs for planning the certificates of one Orb. */
export interface Situation {
  readonly reputation: OrbReputation;
  readonly listing: Pick<ListingChange, 'state'> | undefined;
  /** Certificates that are not revoked, oldest first. */
  readonly open: readonly StoredCertificate[];
  readonly keys: readonly Pick<CertificateKey, 'kid' | 'since' | 'stands' | 'status' | 'revoked_at'>[];
  /** The newest head of the log. */
  readonly head: LogSize | undefined;
  /** Base address of the links in a certificate issued now. */
  readonly publicUrl: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** For how many days certificates are issued. */
  readonly days: number;
}

/** Answers the status of a certificate at a time (milliseconds). */
export function statusAt(certificate: StoredCertificate, now: number): CertificateStatus {
  if (certificate.revoked) return 'revoked';
  if (now >= Date.parse(certificate.valid_until)) return 'expired';
  return certificate.suspended ? 'suspended' : 'valid';
}

/**
 * Lists the steps due for the certificates of one Orb; empty when none is due. Before the first snapshot with the Orb,
 * a missing tier causes no step; certificates that were revoked stay revoked.
 */
export function plan(situation: Situation): readonly Step[] {
  const { reputation, listing, keys, now } = situation;
  // Of the expired certificates, only the newest is still shown.
  const open = situation.open.filter((one, at, all) => at === all.length - 1 || statusAt(one, now) !== 'expired');
  if (listing?.state === 'yanked' || listing?.state === 'removed')
    return revokeAll(open, `the Orb was ${listing.state}`);
  const refused = open.filter((certificate) => isOfRevokedKey(certificate, keys));
  const revoked = revokeAll(refused, 'the key that signed it was revoked from before it on');
  const rest = open.filter((certificate) => !refused.includes(certificate));
  const wanted = reputation.suspended ? ofSuspended(situation, rest) : ofStanding(situation, rest);
  const active = keys.find(({ status }) => status === 'active');
  const issuable = active !== undefined && namedLog(active, reputation, situation.head) !== undefined;
  return [...revoked, ...wanted.filter(({ step }) => issuable || step !== 'issue')];
}

/**
 * Finds the log head that a certificate issued now names, and that must contain its key: the last head of the snapshot
 * or, when the key is newer, the newest head.
 */
export function namedLog(
  { since }: Pick<CertificateKey, 'since'>,
  { snapshot }: Pick<OrbReputation, 'snapshot'>,
  head: LogSize | undefined,
): LogSize | undefined {
  return [snapshot?.logs.at(-1), head].find((log) => log !== undefined && isBefore(since, log));
}

// A revocation takes effect at a position: a certificate that names a log size before it stays valid.
function isOfRevokedKey({ kid, document }: StoredCertificate, keys: Situation['keys']): boolean {
  const key = keys.find((one) => one.kid === kid);
  if (key?.status !== 'revoked') return false;
  const { origin, treeSize } = document.credentialSubject.receiptLog;
  return isRefused(key, { origin, tree_size: treeSize });
}

function ofSuspended({ reputation, now }: Situation, open: readonly StoredCertificate[]): readonly Step[] {
  if (reputation.suspended_tier === undefined) {
    const lost = reputation.snapshot !== undefined;
    return lost ? revokeAll(open, 'the tier was lost in a suspension of 14 snapshots') : [];
  }
  return open
    .filter((certificate) => statusAt(certificate, now) === 'valid')
    .map(({ id }) => ({ step: 'suspend', id, reason: reputation.suspension_causes.join(', ') }));
}

function ofStanding(situation: Situation, open: readonly StoredCertificate[]): readonly Step[] {
  const { reputation } = situation;
  const { tier } = reputation;
  if (reputation.snapshot === undefined) return [];
  const newest = open.at(-1);
  if (tier === 'none') return revokeAll(open, 'the Orb holds no tier any more');
  if (newest === undefined) return [{ step: 'issue', tier, reason: 'the Orb holds the tier' }];
  if (rankOf(tier) < rankOf(newest.tier))
    return [...revokeAll(open, `demoted to ${tier}`), { step: 'issue', tier, reason: `demoted from ${newest.tier}` }];
  const lifted = open
    .filter(({ suspended }) => suspended)
    .map(({ id }): Step => ({ step: 'lift', id, reason: 'the suspension has ended' }));
  if (rankOf(tier) > rankOf(newest.tier))
    return [...lifted, { step: 'issue', tier, reason: `promoted from ${newest.tier}` }];
  const reason = reasonToRenew(newest, situation);
  return reason === undefined ? lifted : [...lifted, { step: 'issue', tier, reason }];
}

function reasonToRenew(newest: StoredCertificate, { keys, publicUrl, now, days }: Situation): string | undefined {
  const key = keys.find(({ kid }) => kid === newest.kid);
  if (key?.status === 'revoked') return 'the key of the one before was revoked';
  if (newest.document.id !== certificateUrl(publicUrl, newest.id)) return 'the public address has changed';
  if (now < Date.parse(newest.valid_from)) return 'the clock was ahead when the one before was issued';
  return isDue(newest, now, days) ? 'renewed' : undefined;
}

// On day 23 of 30; for another lifetime, after the same share of it.
function isDue({ valid_from, valid_until }: StoredCertificate, now: number, days: number): boolean {
  if (days > 1) return now >= Date.parse(valid_from) + Math.floor((days * 23) / 30) * dayMs;
  const midnight = now - (now % dayMs);
  return midnight + lifetimeAt(now, days) * dayMs !== Date.parse(valid_until);
}

// Certificates name whole days, so one of a single day cannot be renewed within it to end later.
const lastHoursMs = 6 * 3_600_000;

/**
 * Answers for how many days, from the begin of today on, a certificate is issued now, when `days` are configured.
 * Where that is one, it is renewed in the last six hours of the day, and includes the next day then.
 */
export function lifetimeAt(now: number, days: number): number {
  return days === 1 && now % dayMs >= dayMs - lastHoursMs ? 2 : days;
}

function revokeAll(certificates: readonly StoredCertificate[], reason: string): readonly Step[] {
  return certificates.map(({ id }) => ({ step: 'revoke', id, reason }));
}
