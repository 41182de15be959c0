import { expect } from 'chai';
import type { KeySet } from '../../../plugins/receipts/format/jwk.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/predicate.ts';
import { freshReceipts, latestCheckpoint } from './fresh.ts';
import { activeKey, expectWholeChains, offline, predicateOf, signingKeys, underLoad } from './key-changes.ts';
import { operator, revoke, rotate, type Changed } from './signing-keys.ts';

describe('the signing keys of receipts', () => {
  const receipts = freshReceipts();
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no refusal',
      (error: unknown) => (error as { code: string }).code,
    );

  it('are rotated by an entry that the old key signs and that names the new one, before the new one signs', async () => {
    const old = await activeKey(receipts, 'receipt');
    const [before] = await receipts.attestRuns(1);
    const made = await rotate(receipts, 'receipt', 'a yearly custom');
    const [after] = await receipts.attestRuns(1);
    expect(made).to.include({ role: 'receipt', previous_kid: old }).and.property('kid').not.equal(old);
    const predicate = await predicateOf(receipts, made.receipt_id);
    expect(predicate).to.deep.include({ kid: made.kid });
    expect(predicate.issuer.kid).to.equal(old);
    expect(predicate.facts).to.include({
      role: 'receipt',
      change: 'rotated',
      previous_kid: old,
      reason: 'a yearly custom',
      principal: operator.id,
    });
    expect((await predicateOf(receipts, before?.receipt_id ?? '')).issuer.kid).to.equal(old);
    expect((await predicateOf(receipts, after?.receipt_id ?? '')).issuer.kid).to.equal(made.kid);
    for (const id of [before?.receipt_id, made.receipt_id, after?.receipt_id])
      expect((await offline(receipts, id ?? '')).overall).to.equal('VERIFIED');
    await receipts.restart();
    expect(await activeKey(receipts, 'receipt')).to.equal(made.kid);
    for (const id of [before?.receipt_id, made.receipt_id, after?.receipt_id])
      expect((await offline(receipts, id ?? '')).overall).to.equal('VERIFIED');
    const { keys } = (await receipts.published('/.well-known/jwks.json')) as KeySet;
    expect(keys.filter(({ role }) => role === 'receipt').map(({ status }) => status)).to.have.members([
      'retired',
      'active',
    ]);
  });

  it('are revoked from the place of the next entry on, and from none after it', async () => {
    await receipts.attestRuns(3);
    const kid = await activeKey(receipts, 'receipt');
    const { origin, size } = (await latestCheckpoint(receipts)) ?? expect.fail('no checkpoint');
    const from = (index: number) => ({ origin, index });
    expect(await refusal(revoke(receipts, kid, 'beyond', from(Number(size) + 1)))).to.equal('invalid_body');
    expect((await revoke(receipts, kid, 'from now on', from(Number(size)))).from).to.deep.equal(from(Number(size)));
  });

  it('are rotated under load: nothing is lost, every receipt verifies under the key it names, every chain is whole', async () => {
    const stop = underLoad(receipts);
    const made: Changed[] = [];
    for (let round = 0; round < 5; round++) {
      made.push(await rotate(receipts, 'receipt'));
      await receipts.attestRuns(3);
    }
    const all = await stop();
    expect(new Set(made.map(({ kid }) => kid)).size).to.equal(5);
    const kids = new Set<string>();
    for (const { receipt_id: id, signature_valid: valid } of all) {
      expect(valid).to.equal(true);
      const document = await receipts.read(id);
      expect(document.signature_valid, JSON.stringify(document.checks)).to.equal(true);
      kids.add((document.statement as OtherStatement).predicate.issuer.kid);
    }
    expect(kids.size).to.be.greaterThan(1);
    expectWholeChains(receipts);
  }).timeout(60_000);

  it('sign what was drafted under the old key and log and came after the change, under the new ones', async () => {
    const old = await activeKey(receipts, 'receipt');
    // Nothing else is on its way, or the changes and the runs would travel together.
    while (receipts.store.outstanding() > 0) await new Promise((resolve) => setImmediate(resolve));
    const changing = Promise.all([rotate(receipts, 'receipt'), rotate(receipts, 'log')]);
    // The changes are on their way to the writer; nothing on this side has heard of them.
    await new Promise((resolve) => setImmediate(resolve));
    const late = receipts.attestRuns(3, 'late');
    const [key, log] = await changing;
    for (const { receipt_id: id } of await late) {
      const predicate = await predicateOf(receipts, id);
      expect(predicate.issuer.kid).to.equal(key.kid).and.not.equal(old);
      expect(predicate.log.origin).to.equal(log.origin);
      expect((await offline(receipts, id)).overall).to.equal('VERIFIED');
    }
    expectWholeChains(receipts);
  });

  it('are revoked from a position on by their successor: receipts before it stand, those from it on do not', async () => {
    const old = await activeKey(receipts, 'receipt');
    const [first] = await receipts.attestRuns(1);
    await receipts.attestRuns(1);
    const [third] = await receipts.attestRuns(1);
    const place = (await receipts.read(third?.receipt_id ?? '')).proof;
    const from = { origin: place?.origin ?? '', index: place?.index ?? 0 };
    const made = await revoke(receipts, old, 'the seed was shown', from);
    const [after] = await receipts.attestRuns(1);
    expect(made).to.deep.include({
      role: 'receipt',
      kid: old,
      from,
      successor_kid: await activeKey(receipts, 'receipt'),
    });
    const predicate = await predicateOf(receipts, made.receipt_id);
    expect(predicate.issuer.kid).to.equal(made.successor_kid);
    expect(predicate.facts).to.deep.include({ change: 'revoked', from, reason: 'the seed was shown' });
    const check = async (id = '') => {
      const report = await offline(receipts, id);
      return [report.exit, (await receipts.read(id)).signature_valid];
    };
    expect(await check(first?.receipt_id)).to.deep.equal([0, true]);
    expect(await check(third?.receipt_id)).to.deep.equal([4, false]);
    expect(await check(made.receipt_id)).to.deep.equal([0, true]);
    expect(await check(after?.receipt_id)).to.deep.equal([0, true]);
    // The successor speaks for itself: the word of a revoked key would count for nothing.
    const [row] = receipts.rows<{ receipt_id: string }>(
      'SELECT receipt_id FROM receipts_receipts WHERE idx = ?',
      made.position.index - 1,
    );
    const id = row?.receipt_id ?? expect.fail('no entry');
    expect((await predicateOf(receipts, id)).facts).to.include({ change: 'created', previous_kid: old });
    expect(await check(id)).to.deep.equal([0, true]);
    await receipts.restart();
    expect(await check(first?.receipt_id)).to.deep.equal([0, true]);
    expect(await check(third?.receipt_id)).to.deep.equal([4, false]);
  });

  it('are revoked, when retired, where the revocation stands unless a position is named', async () => {
    const old = await activeKey(receipts, 'receipt');
    const [before] = await receipts.attestRuns(1);
    const rotated = await rotate(receipts, 'receipt');
    const made = await revoke(receipts, old, 'kept too long');
    expect(made.from).to.deep.equal(made.position);
    expect(made.successor_kid).to.equal(rotated.kid);
    for (const id of [before?.receipt_id, rotated.receipt_id, made.receipt_id])
      expect((await offline(receipts, id ?? '')).exit).to.equal(0);
  });

  it('are not revoked twice, from nowhere, or when unknown; two at once revoke once', async () => {
    const old = await activeKey(receipts, 'receipt');
    const both = await Promise.all([1, 2].map(() => refusal(revoke(receipts, old, 'twice'))));
    expect(both.sort()).to.deep.equal(['no refusal', 'signing_key_conflict']);
    expect(await refusal(revoke(receipts, old, 'thrice'))).to.equal('signing_key_conflict');
    expect(await refusal(revoke(receipts, 'A'.repeat(43), 'unknown'))).to.equal('key_not_found');
    const next = await activeKey(receipts, 'receipt');
    const { origin } = (await revoke(receipts, next, 'again')).position;
    const now = await activeKey(receipts, 'receipt');
    for (const from of [
      { origin, index: 10_000 },
      { origin: `${origin}9`, index: 0 },
    ])
      expect(await refusal(revoke(receipts, now, 'nowhere', from))).to.equal('invalid_body');
    expect(await refusal(revoke(receipts, await activeKey(receipts, 'log'), 'a log key'))).to.equal(
      'signing_key_conflict',
    );
    expect(
      (await signingKeys(receipts)).filter(({ role }) => role === 'receipt').map(({ status }) => status),
    ).to.deep.equal(['revoked', 'revoked', 'active']);
  });

  it('change in any order and at once, and leave one active key of each role', async () => {
    const stop = underLoad(receipts);
    const roles = ['receipt', 'log', 'certificate'];
    await Promise.all(Array.from({ length: 9 }, (_, at) => rotate(receipts, roles[at % 3] ?? '')));
    await revoke(receipts, await activeKey(receipts, 'receipt'), 'at once');
    const all = await stop();
    const keys = await signingKeys(receipts);
    for (const role of roles)
      expect(keys.filter((key) => key.role === role && key.status === 'active')).to.have.length(1);
    for (const { receipt_id: id } of all) expect((await receipts.read(id)).signature_valid).to.equal(true);
    expectWholeChains(receipts);
    await receipts.restart();
    for (const { receipt_id: id } of all.slice(-3)) expect((await offline(receipts, id)).overall).to.equal('VERIFIED');
  }).timeout(60_000);
});
