import { expect } from 'chai';
import { compile, type ResolutionFact } from '../../../../../kernel/index.ts';
import { receiptDocument, type ReceiptDocument } from '../../../../../plugins/receipts/contract.ts';
import type { OtherStatement } from '../../../../../plugins/receipts/kinds/predicate.ts';
import { verify } from '../../../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts } from '../../fresh.ts';
import { newRun } from '../../harness.ts';
import { vectorFact } from '../../sample.ts';

const fitsSchema = compile(receiptDocument);

describe('the receipt of a resolution', () => {
  const receipts = freshReceipts();

  const { facts } = vectorFact();
  const indeterminate = (callerDeadline = false) => {
    const { class: kind, effect } = facts.action;
    return newRun('default', {
      status: 'indeterminate',
      reason: 'outcome_unknown',
      facts: {
        ...facts,
        action: { class: kind, effect, ...(callerDeadline ? { caller_deadline: true as const } : {}) },
        outcome: 'unknown',
      },
    });
  };
  const resolution = (runId: string, outcome: 'sent' | 'not_sent', note?: string): ResolutionFact => ({
    ...{ kind: 'resolution', tenant: 'default', at: '2026-11-20T21:00:00.000Z', run_id: runId, orbiset_id: 'default' },
    ...{ orb_id: 'notify.email@1.0.0', mode: 'live' },
    facts: { outcome, status: outcome === 'sent' ? 'completed' : 'failed', by: 'operator' },
    ...(note === undefined ? {} : { note }),
  });
  const read = async (id: string): Promise<ReceiptDocument> => {
    const document = await receipts.read(id, {}, { tenant: 'default', scopes: ['receipts:read'] });
    expect(fitsSchema(structuredClone(document))).to.deep.equal([]);
    return document;
  };

  it('stands in the chain after the run, names what it resolves, and counts as the run turned out', async () => {
    const run = indeterminate();
    const { receipt_id: of } = await receipts.attest(run);
    const { receipt_id: id } = await receipts.attestFact(resolution(run.run_id, 'sent', 'seen in the outbox'));
    const document = await read(id);
    expect(document.signature_valid).to.equal(true);
    const { predicate, subject } = document.statement as OtherStatement;
    expect(predicate).to.include({ sequence: 2, run_id: run.run_id, tenant: 'default' });
    expect(predicate.facts['resolves']).to.include({ receipt_id: of, finished_at: run.finished_at });
    expect(predicate['previous_digest']).to.equal((predicate.facts['resolves'] as { digest: string }).digest);
    expect(predicate['score_fact']).to.include({ outcome_class: 'ok', supersedes: 'orb_fault', is_self: false });
    expect(JSON.stringify(document)).to.not.include('seen in the outbox');
    expect(subject[0]?.name).to.equal(run.run_id);
    expect(verify(JSON.stringify(document), receipts.trust()).overall).to.equal('VERIFIED');
    const resolved = await read(of);
    expect([resolved.resolution, resolved.signature_valid]).to.deep.equal([id, true]);
    expect(verify(JSON.stringify(resolved), receipts.trust()).overall).to.equal('VERIFIED');
  });

  it('resolves the latest receipt of the run, and the chain goes on', async () => {
    const run = indeterminate();
    await receipts.attest(run);
    const { receipt_id: first } = await receipts.attestFact(resolution(run.run_id, 'sent'));
    const { receipt_id: second } = await receipts.attestFact(resolution(run.run_id, 'not_sent'));
    const { predicate } = (await read(second)).statement as OtherStatement;
    expect(predicate.facts['resolves']).to.include({ receipt_id: first, finished_at: run.finished_at });
    expect(predicate['score_fact']).to.include({ outcome_class: 'orb_fault', supersedes: 'ok' });
    expect(predicate['sequence']).to.equal(3);
    expect((await receipts.attest(newRun())).signature_valid).to.equal(true);
  });

  it('leaves a fault of the caller one', async () => {
    const run = indeterminate(true);
    await receipts.attest(run);
    const { receipt_id: id } = await receipts.attestFact(resolution(run.run_id, 'sent'));
    const { predicate } = (await read(id)).statement as OtherStatement;
    expect(predicate['score_fact']).to.include({ outcome_class: 'caller_fault', supersedes: 'caller_fault' });
  });

  it('is refused for a run that has no unsettled receipt', async () => {
    const run = newRun();
    await receipts.attest(run);
    for (const runId of [run.run_id, 'run_00000000000000000000000000']) {
      const error = await receipts.attestFact(resolution(runId, 'sent')).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'resolution_conflict');
    }
    expect(receipts.health().health).to.equal('up');
  });
});
