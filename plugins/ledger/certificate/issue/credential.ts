import { thumbprint } from '../../../receipts/contract.ts';
import type { LogSize, NamespaceGrant, OrbReputation } from '../../contract.ts';
import { certificateUrl } from '../format/certificate-url.ts';
import { schemaPath, type Certificate } from '../format/credential-schema.ts';
import { dayAfter, midnightOf } from '../format/day.ts';
import type { Identity } from '../format/did.ts';
import { digestMultibase } from '../format/multibase.ts';
import { listUrl, type Entry, type Purpose } from '../format/status-list.ts';
import { parseOrbId } from '../../../runtime/contract.ts';
import type { Tier } from '../../shapes.ts';

/** A certificate before it is signed. */
type Unsigned = Omit<Certificate, 'proof'>;

/** The values a certificate is built from. */
interface CredentialParts {
  /** Base address of its links, without a slash at the end. */
  readonly publicUrl: string;
  /** `crt_<ulid>` */
  readonly id: string;
  readonly issuer: Identity;
  readonly installation: string;
  /** Day of issue, `YYYY-MM-DD` UTC, and for how many days. */
  readonly day: string;
  readonly days: number;
  readonly reputation: OrbReputation;
  readonly manifestDigest: string;
  readonly manifestKey?: NamespaceGrant['manifest_key'] | undefined;
  readonly entries: Readonly<Record<Purpose, Entry>>;
  /** The log at a size that holds the key of the issuer. */
  readonly log: LogSize;
}

const meanings: Readonly<Record<Exclude<Tier, 'none'>, string>> = {
  bronze: 'a score of at least 60 on runs of more than one caller and several days, under a signed manifest',
  silver: 'a score of at least 75 kept up for weeks, at least 95 of 100 runs reliable with 95 % confidence',
  gold: 'a score of at least 85 kept up for a month or longer by several callers, at least 98 of 100 runs reliable',
  platinum: 'a score of at least 93 over months by many callers, in a log that an outside witness has cosigned',
};

/** Builds the certificate of an Orb that holds a tier. Throws when the reputation lacks what a certificate states. */
export function credentialOf(parts: CredentialParts): Unsigned {
  const { publicUrl, day, days, issuer, reputation } = parts;
  const { orb_id, tier } = reputation;
  if (tier === 'none') throw new Error(`${orb_id} holds no tier to certify`);
  const { day: evidenceDay, scoring_policy } = present(reputation.snapshot, 'a snapshot');
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2', `${publicUrl}/contexts/orb-cert/v1`],
    id: certificateUrl(publicUrl, parts.id),
    type: ['VerifiableCredential', 'OrbCertificationCredential'],
    name: `${tier.charAt(0).toUpperCase()}${tier.slice(1)} certification of ${orb_id}`,
    description: `${orb_id} held the tier ${tier} at the end of ${evidenceDay}. This tier means ${meanings[tier]}.`,
    issuer: { id: issuer.did, name: issuerName(parts.installation) },
    validFrom: midnightOf(day),
    validUntil: midnightOf(dayAfter(day, days)),
    credentialSubject: subjectOf(parts),
    evidence: [
      {
        id: `${publicUrl}/reputation/${orb_id}/evidence?day=${evidenceDay}`,
        type: ['ReputationEvidence'],
        name: `Counted runs of ${orb_id} up to ${evidenceDay}`,
      },
    ],
    relatedResource: [
      {
        id: `${publicUrl}/reputation/${orb_id}/manifest`,
        mediaType: 'application/json',
        digestMultibase: digestMultibase(parts.manifestDigest),
      },
      {
        id: `${publicUrl}/scoring/${reputation.scoring_policy.id}`,
        mediaType: 'application/json',
        digestMultibase: digestMultibase(scoring_policy.digest),
      },
    ],
    credentialSchema: { id: publicUrl + schemaPath, type: 'JsonSchema' },
    credentialStatus: [statusOf(parts, 'revocation'), statusOf(parts, 'suspension')],
  };
}

/** Names the issuer for a reader. */
export function issuerName(installation: string): string {
  return `Agent Orb Platform ${installation}`;
}

function subjectOf(parts: CredentialParts): Unsigned['credentialSubject'] {
  const { publicUrl, reputation, log } = parts;
  const { orb_id, tier, tier_rank } = reputation;
  const orb = parseOrbId(orb_id);
  const snapshot = present(reputation.snapshot, 'a snapshot');
  const scoreMilli = present(reputation.score_milli ?? undefined, 'a score');
  const tierSince = present(reputation.tier_since, 'a tier');
  return {
    id: `${publicUrl}/reputation/${orb_id}`,
    type: 'Orb',
    orbId: orb_id,
    namespace: orb.namespace,
    orbName: orb.name,
    version: orb.version,
    manifestDigest: parts.manifestDigest,
    tier,
    tierRank: tier_rank,
    reputationScore: Math.floor(scoreMilli / 1000),
    reputationScoreMilli: scoreMilli,
    components: reputation.components.map(({ name, weight, value_milli, points_milli }) => ({
      name,
      weight,
      valueMilli: value_milli,
      pointsMilli: points_milli,
    })),
    ...(reputation.limited_by === undefined ? {} : { limitedBy: reputation.limited_by }),
    basis: basisOf(reputation),
    receiptLog: { origin: log.origin, treeSize: log.tree_size, rootHash: log.root_hash },
    snapshot: { day: snapshot.day, digest: snapshot.digest },
    scoringPolicy: { id: snapshot.scoring_policy.id, digest: snapshot.scoring_policy.digest },
    certification: { tierSince, firstAchieved: reputation.first_achieved ?? tierSince, profile: snapshot.profile },
    publisher: {
      namespace: orb.namespace,
      method: 'operator',
      ...(parts.manifestKey === undefined
        ? {}
        : { manifestKey: thumbprint(Buffer.from(parts.manifestKey.x, 'base64url')) }),
    },
  };
}

function basisOf({ basis }: OrbReputation): Unsigned['credentialSubject']['basis'] {
  const stands = present(basis, 'a basis');
  return {
    windowStart: stands.window_start,
    windowEnd: stands.window_end,
    runsCounted: stands.runs_counted,
    effectiveRunsMilli: stands.effective_runs_milli,
    effectiveCallersMilli: stands.effective_callers_milli,
    activeDays: stands.active_days,
    ...(stands.last_run_day === undefined ? {} : { lastRunDay: stands.last_run_day }),
  };
}

function statusOf({ publicUrl, entries }: CredentialParts, purpose: Purpose): Unsigned['credentialStatus'][number] {
  const { list, index } = entries[purpose];
  const url = listUrl(publicUrl, list);
  return {
    id: `${url}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: purpose,
    statusListIndex: String(index),
    statusListCredential: url,
  };
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`a certificate needs ${what}`);
  return value;
}
