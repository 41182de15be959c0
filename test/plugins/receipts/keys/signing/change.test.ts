import { expect } from 'chai';
import type { KeySet } from '../../../../../plugins/receipts/format/jwk.ts';
import { freshReceipts } from '../../fresh.ts';
import { activeKey, predicateOf, signingKeys } from '../../key-changes.ts';
import { operator, revoke, rotate } from '../../signing-keys.ts';

describe('a change of a signing key', () => {
  const receipts = freshReceipts('describe');
  const why = { reason: 'a yearly custom', principal: operator.id };
  const statusOf = async (kid: string) => (await signingKeys(receipts)).find((key) => key.kid === kid)?.status;
  const idAt = (origin: string, index: number): string =>
    receipts.rows<{ receipt_id: string }>(
      'SELECT receipt_id FROM receipts_receipts WHERE origin = ? AND idx = ?',
      ...[origin, index],
    )[0]?.receipt_id ?? expect.fail('no entry');

  for (const role of ['receipt', 'certificate', 'log'])
    it(`of the role ${role} says who made it, why, and which key came before: to the caller and in the log`, async () => {
      const before = await activeKey(receipts, role);
      const made = await rotate(receipts, role, why.reason);
      expect(made).to.include({ role, previous_kid: before });
      const { facts } = await predicateOf(receipts, made.receipt_id);
      expect(facts).to.include({ role, change: 'rotated', previous_kid: before, ...why });
      expect(idAt(made.position.origin, made.position.index)).to.equal(made.receipt_id);
      expect([await statusOf(before), await statusOf(made.kid)]).to.deep.equal(['retired', 'active']);
    });

  it('of the log is told by the first entry of the new shard, too, with its reason', async () => {
    const before = await activeKey(receipts, 'log');
    const { origin = '', kid } = await rotate(receipts, 'log', why.reason);
    const { facts } = await predicateOf(receipts, idAt(origin, 0));
    expect(facts).to.include({ role: 'log', change: 'created', previous_kid: before, origin, ...why });
    const { keys } = (await receipts.published('/.well-known/jwks.json')) as KeySet;
    expect(keys.find((key) => key.kid === kid)?.origin).to.equal(origin);
  });

  it('that says no reason has none in the log', async () => {
    for (const role of ['receipt', 'certificate', 'log'])
      expect((await predicateOf(receipts, (await rotate(receipts, role)).receipt_id)).facts).to.not.have.property(
        'reason',
      );
  });

  for (const role of ['receipt', 'certificate'])
    it(`that revokes the active key of the role ${role} makes a successor, known to the log before the revocation`, async () => {
      const kid = await activeKey(receipts, role);
      const others = (await signingKeys(receipts)).filter((key) => key.role !== role);
      const made = await revoke(receipts, kid, why.reason);
      const successor = await activeKey(receipts, role);
      expect(made).to.deep.include({ role, kid, successor_kid: successor, from: made.position });
      expect((await predicateOf(receipts, made.receipt_id)).facts).to.deep.include({
        ...{ role, change: 'revoked', from: made.from, ...why },
      });
      const created = await predicateOf(receipts, idAt(made.position.origin, made.position.index - 1));
      expect(created).to.include({ kid: successor });
      expect(created.facts).to.include({ role, change: 'created', previous_kid: kid });
      expect((await signingKeys(receipts)).filter((key) => key.role !== role)).to.deep.equal(others);
    });

  for (const role of ['receipt', 'certificate'])
    it(`that revokes a retired key of the role ${role} makes no other key, and names the one that signs`, async () => {
      const kid = await activeKey(receipts, role);
      await rotate(receipts, role);
      const before = await signingKeys(receipts);
      const made = await revoke(receipts, kid, why.reason);
      expect(made).to.include({ role, kid, successor_kid: await activeKey(receipts, role) });
      const after = await signingKeys(receipts);
      // Where each came to be known stays what it was.
      const known = (keys: typeof after) => keys.map((key) => ({ ...key, status: '', revoked_at: undefined }));
      expect(known(after)).to.deep.equal(known(before));
      expect(await statusOf(kid)).to.equal('revoked');
    });

  it('in one batch with the receipts of runs comes after them: they are signed by the key before', async () => {
    const old = await activeKey(receipts, 'receipt');
    const [made, ...runs] = await Promise.all([
      rotate(receipts, 'receipt'),
      ...[1, 2, 3].map(() => receipts.attestRuns(1)),
    ]);
    for (const { receipt_id: id } of runs.flat()) {
      const { issuer, log } = await predicateOf(receipts, id);
      const { proof } = await receipts.read(id);
      expect(log.origin).to.equal(made.position.origin);
      expect(issuer.kid).to.equal((proof?.index ?? 0) < made.position.index ? old : made.kid);
    }
  });

  it('takes place in the order of the batch: what was revoked stays so, and the last key made signs', async () => {
    const first = await activeKey(receipts, 'receipt');
    const [revoked, rotated] = await Promise.all([revoke(receipts, first, 'x'), rotate(receipts, 'receipt')]);
    expect([await statusOf(first), rotated.previous_kid]).to.deep.equal(['revoked', revoked.successor_kid]);
    const second = await activeKey(receipts, 'receipt');
    expect(second).to.equal(rotated.kid);
    const [next, gone] = await Promise.all([rotate(receipts, 'receipt'), revoke(receipts, second, 'x')]);
    expect([await statusOf(second), gone.successor_kid]).to.deep.equal(['revoked', next.kid]);
    expect(await activeKey(receipts, 'receipt')).to.equal(next.kid);
  });
});
