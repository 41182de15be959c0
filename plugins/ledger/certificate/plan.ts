import { tiers, type ListingChange, type OrbReputation, type Tier } from '../contract.ts';
import type { CertificateKey } from './did.ts';
import { dayMs } from './day.ts';
import { isWithin } from './position.ts';
import type { StoredCertificate } from './tables.ts';

/** Where a certificate is in its life. */
export type CertificateStatus = 'valid' | 'expired' | 'suspended' | 'revoked';

/** One thing to do to the certificates of an Orb; a reason is kept in the history only. */
export type Step =
  | { readonly step: 'revoke'; readonly id: string; readonly reason: string }
  | { readonly step: 'suspend'; readonly id: string; readonly reason: string }
  | { readonly step: 'lift'; readonly id: string; readonly reason: string }
  | { readonly step: 'issue'; readonly tier: Tier; readonly reason: string };

/** What is known when the certificates of one Orb are looked at. */
export interface Situation {
  readonly reputation: OrbReputation;
  readonly listing: Pick<ListingChange, 'state'> | undefined;
  /** Certificates that are not revoked, oldest first. */
  readonly open: readonly StoredCertificate[];
  readonly keys: readonly Pick<CertificateKey, 'kid' | 'since' | 'status'>[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** For how many days certificates are issued. */
  readonly days: number;
}

/** Says where a certificate is in its life at a time (milliseconds). */
export function statusAt(certificate: StoredCertificate, now: number): CertificateStatus {
  if (certificate.revoked) return 'revoked';
  if (now >= Date.parse(certificate.valid_until)) return 'expired';
  return certificate.suspended ? 'suspended' : 'valid';
}

/**
 * Says what has to be done to the certificates of one Orb; nothing once it is done. Before the first snapshot that knows
 * the Orb nothing is done for want of a tier: what is revoked stays revoked.
 */
export function plan(situation: Situation): readonly Step[] {
  const { reputation, listing, keys, now } = situation;
  // Of those that ended by themselves only the newest is still shown to anybody.
  const open = situation.open.filter((one, at, all) => at === all.length - 1 || statusAt(one, now) !== 'expired');
  if (listing?.state === 'yanked' || listing?.state === 'removed')
    return revokeAll(open, `the Orb was ${listing.state}`);
  const betrayed = new Set(keys.filter(({ status }) => status === 'revoked').map(({ kid }) => kid));
  const revoked = revokeAll(
    open.filter(({ kid }) => betrayed.has(kid)),
    'the key that signed it was revoked',
  );
  const rest = open.filter(({ kid }) => !betrayed.has(kid));
  const wanted = reputation.suspended ? ofSuspended(situation, rest) : ofStanding(situation, rest);
  // A certificate names the snapshot's log, in which its key must stand: after a rotation the next snapshot is awaited.
  const issuable = isLogged(
    keys.find(({ status }) => status === 'active'),
    reputation,
  );
  return [...revoked, ...wanted.filter(({ step }) => issuable || step !== 'issue')];
}

/** Says whether a key stands in the log that a certificate issued now would name. */
export function isLogged(
  key: Pick<CertificateKey, 'since'> | undefined,
  { snapshot }: Pick<OrbReputation, 'snapshot'>,
): boolean {
  return snapshot?.logs.some((log) => isWithin(key?.since, log)) ?? false;
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
  const { reputation, now, days } = situation;
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
  const due = now >= Date.parse(newest.valid_from) + renewAfter(days) * dayMs;
  return due ? [...lifted, { step: 'issue', tier, reason: 'renewed' }] : lifted;
}

// Day 23 of 30, and as far before the end of any other time.
function renewAfter(days: number): number {
  return Math.max(1, Math.floor((days * 23) / 30));
}

function rankOf(tier: Tier): number {
  return tiers.indexOf(tier);
}

function revokeAll(certificates: readonly StoredCertificate[], reason: string): readonly Step[] {
  return certificates.map(({ id }) => ({ step: 'revoke', id, reason }));
}
