import { expect } from 'chai';
import type { StandingFact } from '../../../plugins/ledger/contract.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts } from './fresh.ts';
import {
  at,
  digest,
  ended,
  granted,
  incident,
  jwk,
  origin,
  published,
  revokedNamespace,
  signed,
  snapshotOf,
  suspended,
  type OtherFact,
} from './other-facts.ts';
import { shippedFacts } from '../../helpers/command.ts';
import { vectorTrust } from './sample.ts';

const trust = { ...vectorTrust, facts: shippedFacts };

describe('a fact that contradicts itself', () => {
  const receipts = freshReceipts('describe');
  const log = () => `${receipts.store.installation}.orb/receipts/0`;

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
      const error = await receipts.attestFact(own).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'internal');
      expect(String(error)).to.include(fault);
      const report = verify(signed(fact), trust);
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
      expect(verify(signed(fact), trust).overall).to.equal('VERIFIED');
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
