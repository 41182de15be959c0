import { canonical } from '../../../kernel/index.ts';
import type { IncidentFact } from '../../../plugins/ingestion/contract.ts';
import type { NamespaceFact, StandingFact } from '../../../plugins/ledger/contract.ts';
import { nonClaims, statementType } from '../../../plugins/receipts/contract.ts';
import { encodeBase64Url } from '../../../plugins/receipts/format/base64.ts';
import { predicateType } from '../../../plugins/receipts/kinds/kind.ts';
import { subjectOfFacts } from '../../../plugins/receipts/format/subject.ts';
import { signedText, vectors } from './sample.ts';

/** When each of these facts came to be. */
export const at = '2026-11-20T20:00:01.000Z';
/** A digest of nothing in particular. */
export const digest = `sha256:${'0'.repeat(64)}`;
const ulid = '01M7X8PQG00000000000000006';
// Who acts in these facts.
const principal = 'prn_01M6B27VZ00000000000000004';
/** The public half of a key that signs nothing. */
export const raw = new Uint8Array(32).fill(7);
/** The same as a JWK. */
export const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(raw) } as const;
/** The log in which the vectors' key speaks. */
export const { origin } = vectors.run_receipt.position;

/** An incident that opened. */
export const incident: IncidentFact = {
  kind: 'incident',
  at,
  incident_id: `inc_${ulid}`,
  facts: {
    ...{ change: 'opened', change_number: 1, state: 'open', severity: 'high', starts_at: at },
    scope: [{ kind: 'provider', id: 'smtp-main' }],
    deliveries: [{ delivery_id: `dlv_${ulid}`, source_id: `src_${ulid}`, digest, auth_strength: 'strong' }],
  },
};
/** The same, resolved by a person. */
export const ended: IncidentFact = {
  ...incident,
  facts: {
    ...{ ...incident.facts, deliveries: [], change: 'changed', change_number: 2, state: 'resolved', ends_at: at },
    ...{ principal, reason: 'the provider is back' },
  },
};
/** The suspension of an Orb. */
export const suspended: StandingFact = {
  kind: 'standing',
  at,
  orb_id: 'notify.email@1.0.0',
  facts: { change: 'suspended', reason: 'a leak', principal },
};
/** The publication of the same Orb. */
export const published: StandingFact = {
  ...suspended,
  facts: { change: 'published', manifest_digest: digest, manifest_signed: false, principal },
  decision: { allow: true, policies: ['publish_by_scope'], warns: 0, shadow_denies: 0 },
};
/** The snapshot of a day over a log. */
export const snapshotOf = (log: string): StandingFact => ({
  kind: 'standing',
  at,
  facts: {
    ...{ change: 'snapshot', day: '2026-11-20', profile: 'single-org', digest },
    logs: [{ origin: log, tree_size: 5, root_hash: Buffer.from(raw).toString('base64') }],
    scoring_policy: { id: 'orb-score/1', digest },
  },
});
/** A namespace that was granted. */
export const granted: NamespaceFact = {
  ...{ kind: 'namespace', tenant: 'default', at, namespace: 'notify' },
  facts: { change: 'granted', owner: { tenant: 'default' }, manifest_key: jwk, principal },
};
/** The same, revoked. */
export const revokedNamespace: NamespaceFact = {
  ...granted,
  facts: { change: 'revoked', owner: { tenant: 'default' }, reason: 'the owner left', principal },
};

/** A fact that is no run. */
export type OtherFact = IncidentFact | StandingFact | NamespaceFact;

/** Signs and logs a fact with the vectors' keys, past everything that would refuse to draft it. */
export function signed({ kind, facts, ...members }: OtherFact): string {
  const { decision, ...fields } = members as { decision?: object } & Record<string, unknown>;
  const policy = { decision: 'allow', policies: ['publish_by_scope'], shadow_denies: 0, warns: 0 };
  const named = kind === 'incident' ? 'incident_id' : kind === 'namespace' ? 'namespace' : 'orb_id';
  const all = { ...facts, ...(decision === undefined ? {} : { policy }) } as Record<string, unknown>;
  return signedAs(kind, fields, all, String(fields[named] ?? all['day']));
}

/** Signs and logs a statement with the vectors' keys: its predicate's own fields, its facts, and the name of its subject. */
export function signedAs(
  kind: 'incident' | 'standing' | 'namespace' | 'key',
  fields: object,
  facts: object,
  name: string,
): string {
  const predicate = {
    ...fields,
    facts,
    issuer: { installation: origin.split('.')[0], kid: vectors.keys.receipt_kid_rfc7638, version: '0.4.0' },
    log: { origin },
    non_claims: [...nonClaims],
    receipt_id: 'rec_01M7X8PQTP0000000000000003',
  };
  const subject = subjectOfFacts(name, canonical(facts));
  return signedText(canonical({ _type: statementType, predicateType: predicateType(kind), predicate, subject }));
}
