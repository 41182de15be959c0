import type { OrbReputation } from '../contract.ts';
import type { CertificateStatus } from '../certificate/format/report.ts';
import type { Tier } from '../shapes.ts';

/** What the right side of a badge may show. */
export const metrics = ['tier', 'score', 'both'] as const;
/** What the right side of a badge shows. */
export type Metric = (typeof metrics)[number];

/** A badge in words and colour. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  /** `#rrggbb`; white text on it has a contrast of at least 4.5:1. */
  readonly color: string;
  /** The badge reports something alarming, or there is no Orb to show. */
  readonly alarming: boolean;
}

/** Colours by tier or state; the badge also writes the state in words, so colour is never the only sign. */
export const colors = {
  none: '#6b6b6b',
  bronze: '#8c5a2b',
  silver: '#5f6b76',
  gold: '#8a6d00',
  platinum: '#2f5d8a',
  suspended: '#b00020',
} as const satisfies Readonly<Record<Tier | 'suspended', string>>;

/** Facts a badge is made from. */
export interface BadgeFacts {
  readonly reputation: OrbReputation;
  /** Status of the newest certificate; undefined when none was ever issued. */
  readonly certificate: CertificateStatus | undefined;
  readonly metric: Metric;
  readonly label: string;
}

/** Says what the badge of an Orb shows. */
export function badgeOf({ reputation, certificate, metric, label }: BadgeFacts): Badge {
  const badge = (message: string, color: string, alarming = false): Badge => ({ label, message, color, alarming });
  const { status, suspended, tier, score } = reputation;
  if (suspended) return badge('suspended', colors.suspended, true);
  if (tier === 'none' && certificate === 'revoked') return badge('revoked', colors.suspended, true);
  if (tier !== 'none' && certificate === 'expired') return badge('expired', colors.none, true);
  if (score === null) return badge('unscored', colors.none);
  const word = tier !== 'none' ? tier : status === 'provisional' ? 'new' : 'no tier';
  const shown = { tier: word, score: String(score), both: `${word} · ${score}` };
  return badge(shown[metric], colors[tier]);
}

/** The badge for an Orb that does not exist or that the caller may not see. */
export function notFound(label: string): Badge {
  return { label, message: 'not found', color: colors.none, alarming: true };
}
