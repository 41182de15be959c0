import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  canonical,
  compile,
  type IncidentFact,
  type NamespaceFact,
  type Principal,
  type StandingFact,
} from '../../../kernel/index.ts';
import { nonClaims, receiptDocument, statementType, type ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import { encodeBase64Url } from '../../../plugins/receipts/base64.ts';
import { otherKinds, predicateType, type OtherStatement } from '../../../plugins/receipts/kinds/kind.ts';
import { thumbprint } from '../../../plugins/receipts/jwk.ts';
import { subjectOfFacts } from '../../../plugins/receipts/subject.ts';
import { readTrust } from '../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { startReceipts, temporaryDir, type Harness } from './harness.ts';
import { signedText, vectors, vectorTrust } from './sample.ts';

const at = '2026-11-20T20:00:01.000Z';
const digest = `sha256:${'0'.repeat(64)}`;
const ulid = '01M7X8PQG00000000000000006';
const principal = 'prn_01M6B27VZ00000000000000004';
const raw = new Uint8Array(32).fill(7);
const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(raw) } as const;
const otherRaw = new Uint8Array(32).fill(9);
const { origin } = vectors.run_receipt.position;

const incident: IncidentFact = {
  kind: 'incident',
  at,
  incident_id: `inc_${ulid}`,
  facts: {
    ...{ change: 'opened', change_number: 1, state: 'open', severity: 'high', starts_at: at },
    scope: [{ kind: 'provider', id: 'smtp-main' }],
    deliveries: [{ delivery_id: `dlv_${ulid}`, source_id: `src_${ulid}`, digest, auth_strength: 'strong' }],
  },
};
const ended: IncidentFact = {
  ...incident,
  facts: {
    ...{ ...incident.facts, deliveries: [], change: 'changed', change_number: 2, state: 'resolved', ends_at: at },
    ...{ principal, reason: 'the provider is back' },
  },
};
const suspended: StandingFact = {
  kind: 'standing',
  at,
  orb_id: 'notify.email@1.0.0',
  facts: { change: 'suspended', reason: 'a leak', principal },
};
const published: StandingFact = {
  ...suspended,
  facts: { change: 'published', manifest_digest: digest, manifest_signed: false, principal },
  decision: { allow: true, policies: ['publish_by_scope'], warns: 0, shadow_denies: 0 },
};
const snapshotOf = (log: string): StandingFact => ({
  kind: 'standing',
  at,
  facts: {
    ...{ change: 'snapshot', day: '2026-11-20', profile: 'single-org', digest },
    logs: [{ origin: log, tree_size: 5, root_hash: Buffer.from(raw).toString('base64') }],
    scoring_policy: { id: 'orb-score/1', digest },
  },
});
const granted: NamespaceFact = {
  ...{ kind: 'namespace', tenant: 'default', at, namespace: 'notify' },
  facts: { change: 'granted', owner: { tenant: 'default' }, manifest_key: jwk, principal },
};
const revokedNamespace: NamespaceFact = {
  ...granted,
  facts: { change: 'revoked', owner: { tenant: 'default' }, reason: 'the owner left', principal },
};

type OtherFact = IncidentFact | StandingFact | NamespaceFact;

describe('the receipts of incidents, standings, namespaces and keys', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  before(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
  });
  after(async () => {
    await receipts.stop();
    dir.remove();
  });

  const attest = async (fact: OtherFact): Promise<string> => {
    const attested = await receipts.hooks.attest({ fact, operations: () => [] });
    return attested?.receipt_id ?? expect.fail('nobody attested');
  };
  const read = async (id: string, scopes: string[], tenant = 'default'): Promise<ReceiptDocument> => {
    const reader: Partial<Principal> = { tenant, scopes };
    return (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, reader)) as ReceiptDocument;
  };
  const fits = compile(receiptDocument);
  const log = () => `${receipts.store.installation}.orb/receipts/0`;

  for (const [name, make, scope, subject] of [
    ['an incident that opened', () => incident, 'incidents:read', incident.incident_id],
    ['an incident that a person resolved', () => ended, 'incidents:read', incident.incident_id],
    ['a suspension', () => suspended, 'reputation:suspend', 'notify.email@1.0.0'],
    ['a publication', () => published, 'reputation:suspend', 'notify.email@1.0.0'],
    ['the snapshot of a day', () => snapshotOf(log()), 'reputation:suspend', '2026-11-20'],
  ] as const)
    it(`${name} is attested, read with the scope of its act or *, by nobody else, and verified offline`, async () => {
      const id = await attest(make());
      const document = await read(id, [scope], 'elsewhere');
      expect(fits(structuredClone(document))).to.deep.equal([]);
      expect((await read(id, ['*'])).receipt_id).to.equal(id);
      expect(document).to.include({ signature_valid: true, timestamp: at });
      const statement = document.statement as OtherStatement;
      expect(statement.subject).to.have.length(1);
      expect(statement.subject[0]?.name).to.equal(subject);
      const trust = readTrust(readFileSync(join(dir.path, 'jwks.json'), 'utf8')) ?? { keys: [] };
      expect(verify(JSON.stringify(document), trust).overall).to.equal('VERIFIED');
      for (const scopes of [['receipts:read'], ['providers:read'], []])
        expect(await read(id, scopes).catch((error: unknown) => error)).to.have.property('code', 'receipt_not_found');
    });

  for (const [name, fact] of [
    ['granted', granted],
    ['revoked', revokedNamespace],
  ] as const)
    it(`a namespace that was ${name} belongs to its tenant, which reads it like its other receipts`, async () => {
      const id = await attest(fact);
      expect((await read(id, ['receipts:read'])).signature_valid).to.equal(true);
      for (const [scopes, tenant] of [
        [['receipts:read'], 'other'],
        [['signing-keys:manage'], 'default'],
      ] as const)
        expect(await read(id, [...scopes], tenant).catch((error: unknown) => error)).to.have.property(
          'code',
          'receipt_not_found',
        );
    });

  it('takes an incident of 60 deliveries in one entry, and refuses one that is longer than a statement may be', async () => {
    const [delivery] = incident.facts.deliveries;
    const of = (count: number): IncidentFact => ({
      ...incident,
      facts: { ...incident.facts, deliveries: Array.from({ length: count }, () => delivery ?? expect.fail()) },
    });
    expect((await read(await attest(of(60)), ['*'])).signature_valid).to.equal(true);
    const error = await attest(of(90)).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('at most 16384 are attested');
  });

  const change = <F extends OtherFact>(fact: F, facts: object, members: object = {}): OtherFact => {
    const all = Object.entries({ ...fact.facts, ...facts }).filter(([, value]) => value !== undefined);
    return { ...fact, ...members, facts: Object.fromEntries(all) } as unknown as OtherFact;
  };
  // Each row breaks one rule that no schema can say.
  const contradictions: readonly (readonly [string, OtherFact, string])[] = [
    ['opened twice', change(incident, { change_number: 2 }), 'opened by its first change'],
    ['changed first', change(ended, { change_number: 1 }), 'opened by its first change'],
    ['resolved without an end', change(ended, { ends_at: undefined }), 'ends_at'],
    ['open with an end', change(incident, { ends_at: at }), 'ends_at'],
    ['ended before it started', change(ended, { ends_at: '2026-11-20T20:00:00.999Z' }), 'before it started'],
    ['started on a day that does not exist', change(incident, { starts_at: '2026-02-30T00:00:00.000Z' }), 'time'],
    ['ended on a day that does not exist', change(ended, { ends_at: '2027-02-30T00:00:00.000Z' }), 'time'],
    ['retracted without a reason', change(incident, { change: 'retracted', change_number: 2 }), 'a reason'],
    ['resolved by a person without a reason', change(ended, { reason: undefined }), 'a reason'],
    ['of integrity without the receipt', change(incident, { reason: 'integrity' }), 'names the receipt'],
    ['suspended without a reason', change(suspended, { reason: undefined }), 'a reason'],
    ['yanked without a reason', change(suspended, { change: 'yanked', reason: undefined }), 'a reason'],
    ['published without its manifest', change(published, { manifest_digest: undefined }), 'manifest'],
    ['published without word of a signature', change(published, { manifest_signed: undefined }), 'manifest'],
    ['suspended with a manifest', change(suspended, { manifest_digest: digest }), 'manifest'],
    ['suspended by a policy', { ...suspended, decision: published.decision } as OtherFact, 'policy'],
    ['a day that does not exist', change(snapshotOf(origin), { day: '2026-02-30' }), 'day'],
    ['a snapshot of no log', change(snapshotOf(origin), { logs: [] }), 'each log once'],
    ['a snapshot of one log twice', twice(snapshotOf(origin)), 'each log once'],
    ['a snapshot of a foreign log', snapshotOf(origin.replace('1.orb', '2.orb')), 'another installation'],
    ['a snapshot with half a root', halfRoot(snapshotOf(origin)), '32 bytes'],
    ['granted to another tenant', change(granted, { owner: { tenant: 'other' } }), 'tenant of its owner'],
    ['a namespace revoked without a reason', change(revokedNamespace, { reason: undefined }), 'a reason'],
    [
      'a manifest key in another spelling',
      change(granted, { manifest_key: { ...jwk, x: `${jwk.x.slice(0, 42)}d` } }),
      '32 bytes',
    ],
  ];

  for (const [name, fact, fault] of contradictions)
    it(`refuses at attesting, and rejects though it is signed and logged: ${name}`, async () => {
      const own = JSON.parse(JSON.stringify(fact).replaceAll(origin, log())) as OtherFact;
      const error = await attest(own).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'internal');
      expect(String(error)).to.include(fault);
      const report = verify(signed(fact), vectorTrust);
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 2]);
      const failing = report.checks.filter(({ result }) => result === 'fail');
      expect(failing.map(({ name: check }) => check)).to.deep.equal(['statement_schema']);
      expect(failing[0]?.detail).to.include(fault);
    });

  for (const [name, fact] of [
    ['an incident', incident],
    ['a resolved incident', ended],
    ['a suspension', suspended],
    ['a publication', published],
    ['a snapshot', snapshotOf(origin)],
    ['a namespace', granted],
    ['a revoked namespace', revokedNamespace],
  ] as const)
    it(`accepts ${name} that is signed and logged the same way`, () => {
      expect(verify(signed(fact), vectorTrust).overall).to.equal('VERIFIED');
    });

  const ownKid = vectors.keys.receipt_kid_rfc7638;
  const ownJwk = { kty: 'OKP', crv: 'Ed25519', x: 'C7w0aldmfDgBIL2cf9flHSxf3-o3zS9b9AWyxr9vLXg' };
  const from = { origin, index: 3 };
  const key = (kid: string, facts: object) => signedAs('key', { kid, at }, facts, kid);
  const other = { kid: thumbprint(raw), public_key: jwk };
  for (const [name, artefact] of [
    ['a receipt key that makes itself known', key(ownKid, { role: 'receipt', change: 'created', public_key: ownJwk })],
    [
      'a receipt key that the old one names',
      key(other.kid, { role: 'receipt', change: 'rotated', public_key: jwk, previous_kid: ownKid }),
    ],
    [
      'a receipt key that its successor revokes',
      key(other.kid, { role: 'receipt', change: 'revoked', public_key: jwk, from, reason: 'lost' }),
    ],
    ['a certificate key', key(other.kid, { role: 'certificate', change: 'created', public_key: jwk })],
    [
      'a log key',
      key(other.kid, { role: 'log', change: 'created', public_key: jwk, origin, vkey: 'v', previous_checkpoint: 'c' }),
    ],
  ] as const)
    it(`accepts ${name}`, () => {
      const report = verify(artefact, vectorTrust);
      expect(report.overall, JSON.stringify(report.checks)).to.equal('VERIFIED');
    });

  for (const [name, kid, facts, fault] of [
    [
      'a key under another id',
      thumbprint(otherRaw),
      { role: 'certificate', change: 'created', public_key: jwk },
      'key id',
    ],
    ['a log key without its log', other.kid, { role: 'log', change: 'created', public_key: jwk }, 'names its log'],
    [
      'a log key without its vkey',
      other.kid,
      { role: 'log', change: 'created', public_key: jwk, origin },
      'names its log',
    ],
    [
      'a certificate key of a log',
      other.kid,
      { role: 'certificate', change: 'created', public_key: jwk, origin, vkey: 'v' },
      'names its log',
    ],
    [
      'a checkpoint beside a certificate key',
      other.kid,
      { role: 'certificate', change: 'created', public_key: jwk, previous_checkpoint: 'c' },
      'carries a checkpoint',
    ],
    [
      'a rotation from nowhere',
      other.kid,
      { role: 'certificate', change: 'rotated', public_key: jwk },
      'the key before it',
    ],
    [
      'a rotation from itself',
      other.kid,
      { role: 'certificate', change: 'rotated', public_key: jwk, previous_kid: other.kid },
      'the key before it',
    ],
    [
      'a revocation without a position',
      other.kid,
      { role: 'certificate', change: 'revoked', public_key: jwk, reason: 'lost' },
      'a position',
    ],
    [
      'a revocation without a reason',
      other.kid,
      { role: 'certificate', change: 'revoked', public_key: jwk, from },
      'a reason',
    ],
    [
      'a creation with a position',
      other.kid,
      { role: 'certificate', change: 'created', public_key: jwk, from },
      'a position',
    ],
    [
      'a receipt key that another makes known',
      other.kid,
      { role: 'receipt', change: 'created', public_key: jwk },
      'made known by another',
    ],
    [
      'a receipt key that a third one names',
      other.kid,
      { role: 'receipt', change: 'rotated', public_key: jwk, previous_kid: thumbprint(otherRaw) },
      'rotated by another',
    ],
    [
      'a receipt key that revokes itself',
      ownKid,
      { role: 'receipt', change: 'revoked', public_key: ownJwk, from, reason: 'lost' },
      'revoked by itself',
    ],
  ] as const)
    it(`rejects ${name}, though it is signed and logged`, () => {
      const report = verify(key(kid, facts), vectorTrust);
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 2]);
      expect(report.checks.find(({ result }) => result === 'fail')?.detail).to.include(fault);
    });

  it('has rules and reading scopes for every kind that is not in a chain', () => {
    for (const [kind, { chained, rules, scopes }] of Object.entries(otherKinds))
      if (chained !== true && kind !== 'swap') {
        expect(rules, kind).to.be.a('function');
        expect(scopes.length > 0 || kind === 'namespace', kind).to.equal(true);
      }
  });
});

function twice(fact: StandingFact): OtherFact {
  const { logs = [] } = fact.facts as { logs?: readonly object[] };
  return { ...fact, facts: { ...fact.facts, logs: [...logs, ...logs] } } as OtherFact;
}

function halfRoot(fact: StandingFact): OtherFact {
  const { logs = [] } = fact.facts as { logs?: readonly object[] };
  return {
    ...fact,
    facts: { ...fact.facts, logs: logs.map((log) => ({ ...log, root_hash: 'AAAA' })) },
  } as unknown as OtherFact;
}

/** Signs and logs a fact with the vectors' keys, past everything that would refuse to draft it. */
function signed({ kind, facts, ...members }: OtherFact): string {
  const { decision, ...fields } = members as { decision?: object } & Record<string, unknown>;
  const policy = { decision: 'allow', policies: ['publish_by_scope'], shadow_denies: 0, warns: 0 };
  const named = kind === 'incident' ? 'incident_id' : kind === 'namespace' ? 'namespace' : 'orb_id';
  const all = { ...facts, ...(decision === undefined ? {} : { policy }) } as Record<string, unknown>;
  return signedAs(kind, fields, all, String(fields[named] ?? all['day']));
}

function signedAs(
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
