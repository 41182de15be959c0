import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import type { IncidentFact } from '../../../plugins/ingestion/contract.ts';
import { receiptDocument } from '../../../plugins/receipts/contract.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/predicate.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts } from './fresh.ts';
import { at, ended, granted, incident, published, revokedNamespace, snapshotOf, suspended } from './other-facts.ts';

describe('the receipts of incidents, standings and namespaces', () => {
  const receipts = freshReceipts('describe');
  const read = (id: string, scopes: string[], tenant = 'default') => receipts.read(id, {}, { tenant, scopes });
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
      const { receipt_id: id } = await receipts.attestFact(make());
      const document = await read(id, [scope], 'elsewhere');
      expect(fits(structuredClone(document))).to.deep.equal([]);
      expect((await read(id, ['*'])).receipt_id).to.equal(id);
      expect(document).to.include({ signature_valid: true, timestamp: at });
      const statement = document.statement as OtherStatement;
      expect(statement.subject).to.have.length(1);
      expect(statement.subject[0]?.name).to.equal(subject);
      expect(verify(JSON.stringify(document), receipts.trust()).overall).to.equal('VERIFIED');
      for (const scopes of [['receipts:read'], ['providers:read'], []])
        expect(await read(id, scopes).catch((error: unknown) => error)).to.have.property('code', 'receipt_not_found');
    });

  for (const [name, fact] of [
    ['granted', granted],
    ['revoked', revokedNamespace],
  ] as const)
    it(`a namespace that was ${name} belongs to its tenant, which reads it like its other receipts`, async () => {
      const { receipt_id: id } = await receipts.attestFact(fact);
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
    expect((await read((await receipts.attestFact(of(60))).receipt_id, ['*'])).signature_valid).to.equal(true);
    const error = await receipts.attestFact(of(90)).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('the limit is 16384');
  });
});
