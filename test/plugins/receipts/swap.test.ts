import { expect } from 'chai';
import { compile, PlatformError, type Decision } from '../../../kernel/index.ts';
import { canonical, digest } from '../../../kernel/tools/canonical.ts';
import { receiptDocument } from '../../../plugins/receipts/contract.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/predicate.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts } from './fresh.ts';
import type { SwapFact } from '../../../plugins/runtime/contract.ts';

const fitsSchema = compile(receiptDocument);

const swap = (facts: Partial<SwapFact['facts']> = {}, decision?: Decision): SwapFact => ({
  kind: 'swap',
  at: '2026-11-20T20:00:01.000Z',
  swap_id: 'swp_01M7X8PQG00000000000000006',
  orb_id: 'notify.email@1.0.0',
  facts: {
    from: 'outbox',
    from_generation: 1,
    to: 'smtp-main',
    generation: 2,
    adapter: 'email/smtp',
    config_digest: `sha256:${'0'.repeat(64)}`,
    state: 'draining',
    principal: 'prn_01M6B27VZ00000000000000004',
    started_at: '2026-11-20T20:00:00.000Z',
    switched_at: '2026-11-20T20:00:01.000Z',
    ...facts,
  },
  ...(decision === undefined ? {} : { decision }),
});

describe('the receipt of a swap', () => {
  const receipts = freshReceipts();

  const read = (id: string, scopes: string[], tenant = 'default') => receipts.read(id, {}, { tenant, scopes });

  it('says what was changed, with one subject: the swap, by the digest of its facts; it has no score', async () => {
    const fact = swap({}, { allow: true, policies: ['swap_by_scope'], warns: 0, shadow_denies: 0 });
    const attested = await receipts.attestFact(fact);
    expect(attested).to.deep.equal({ receipt_id: attested.receipt_id, signature_valid: true, timestamp: fact.at });
    const document = await read(attested.receipt_id, ['*']);
    expect(fitsSchema(structuredClone(document))).to.deep.equal([]);
    expect(document).to.include({ signature_valid: true, timestamp: fact.at }).and.not.have.property('trust_score');
    const { predicate, predicateType, subject } = document.statement as OtherStatement;
    const policy = { decision: 'allow', policies: ['swap_by_scope'], shadow_denies: 0, warns: 0 };
    expect(predicateType).to.equal('urn:agent-orb:swap:v1');
    expect(predicate.facts).to.deep.equal({ ...fact.facts, policy });
    expect(predicate)
      .to.include({ at: fact.at, swap_id: fact.swap_id, orb_id: fact.orb_id })
      .and.not.have.property('tenant');
    const sha256 = digest(canonical(predicate.facts)).slice('sha256:'.length);
    expect(subject).to.deep.equal([{ name: fact.swap_id, digest: { sha256 } }]);
  });

  it('is verified offline', async () => {
    const { receipt_id: id } = await receipts.attestFact(swap({ state: 'failed', reason: 'probing_failed' }));
    const trust = receipts.trust();
    const report = verify(JSON.stringify(await read(id, ['*'])), trust);
    expect(report.exit).to.equal(0);
    expect(report.values).to.include({ kind: 'swap', receipt_id: id, orb_id: 'notify.email@1.0.0' });
    expect(report.checks.map(({ name }) => name)).to.not.include('score_recomputes');
  });

  it('is read with a scope of swaps or *, in whatever tenant, and is not there for anybody else', async () => {
    const { receipt_id: id } = await receipts.attestFact(swap());
    for (const scope of ['providers:swap', 'providers:read', '*'])
      expect((await read(id, ['receipts:read', scope], 'other')).receipt_id).to.equal(id);
    const error = await read(id, ['receipts:read']).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(PlatformError).and.have.property('code', 'receipt_not_found');
  });

  it('is refused when the fact has a member or a word that its schema does not know', async () => {
    for (const facts of [{ state: 'odd' }, { secret: 'x' }, { reason: 'No word' }]) {
      const error = await receipts.attestFact(swap(facts as never)).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'internal');
    }
  });
});
