import { expect } from 'chai';
import { verifySignature } from '../../../plugins/receipts/format/ed25519.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/predicate.ts';
import { parseCheckpoint, openNote, parseNote, parseVkey } from '../../../plugins/receipts/log/pure/note.ts';
import { parsePolicy } from '../../../plugins/receipts/log/pure/policy-file.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts } from './fresh.ts';
import { expectWholeChains, offline, predicateOf, underLoad } from './key-changes.ts';
import { rotate } from './signing-keys.ts';

describe('the signing keys of the log', () => {
  const receipts = freshReceipts();
  const text = async (path: string, params = {}) => String(await receipts.published(path, params));

  it('are rotated into a new shard: the last entry of the old one names it, its first carries the old checkpoint', async () => {
    await receipts.attestRuns(2);
    const old = parseNote(await text('/log/checkpoint'));
    const [oldKey] = (await text('/log/vkey')).split('\n');
    const made = await rotate(receipts, 'log');
    await receipts.attestRuns(2);
    const shardOf = (origin = '') => origin.split('/').at(-1);
    expect([shardOf(made.position.origin), shardOf(made.origin)]).to.deep.equal(['0', '1']);
    const last = await predicateOf(receipts, made.receipt_id);
    const vkey = (await text('/log/vkey')).trim();
    expect(last.facts).to.include({ role: 'log', change: 'rotated', origin: made.origin, vkey });
    const final = await text('/log/{shard}/checkpoint', { shard: '0' });
    const signed = parseNote(final);
    expect(parseCheckpoint(signed?.text ?? '')?.size).to.equal(BigInt(made.position.index + 1));
    expect(openNote(signed ?? expect.fail(), [parseVkey(oldKey ?? '') ?? expect.fail()], verifySignature))
      .to.have.property('by')
      .of.length(1);
    expect(parseCheckpoint(old?.text ?? '')?.origin).to.equal(made.position.origin);
    const [row] = receipts.rows<{ receipt_id: string }>(
      'SELECT receipt_id FROM receipts_receipts WHERE origin = ? AND idx = 0',
      made.origin,
    );
    const first = row?.receipt_id ?? expect.fail('no entry');
    const opening = await predicateOf(receipts, first);
    expect(opening.facts).to.include({ role: 'log', change: 'created', previous_checkpoint: final, vkey });
    for (const id of [made.receipt_id, first]) expect((await offline(receipts, id)).overall).to.equal('VERIFIED');
  });

  it('are rotated under load: one trust file verifies both shards, chains begin at 1 again, the old shard takes nothing more', async () => {
    const stop = underLoad(receipts);
    await receipts.attestRuns(5, 'o0');
    const policyBefore = await text('/log/policy');
    const made = await rotate(receipts, 'log');
    await receipts.attestRuns(5, 'o0');
    const all = await stop();
    const policy = parsePolicy(await text('/log/policy')) ?? expect.fail('no policy');
    expect(policy.logs.map(({ name }) => name)).to.deep.equal([made.position.origin, made.origin]);
    const { keys } = receipts.trust();
    const origins = new Map<string, number>();
    for (const { receipt_id: id } of all) {
      const document = await receipts.read(id);
      expect(verify(JSON.stringify(document), { keys, policy }, { verifySignature }).overall).to.equal('VERIFIED');
      const { origin } = (document.statement as OtherStatement).predicate.log;
      origins.set(origin, (origins.get(origin) ?? 0) + 1);
      if (origin === made.position.origin) expect(document.proof?.tree_size).to.equal(made.position.index + 1);
      else
        expect(
          verify(
            JSON.stringify(document),
            { keys, policy: parsePolicy(policyBefore) ?? expect.fail() },
            { verifySignature },
          ).exit,
        ).to.equal(3);
    }
    expect([...origins.keys()].sort()).to.deep.equal([made.position.origin, made.origin].sort());
    expectWholeChains(receipts);
  }).timeout(60_000);

  it('leave the old shard frozen: its head cannot be moved any more, after a restart too', async () => {
    await receipts.attestRuns(2);
    const made = await rotate(receipts, 'log');
    await receipts.restart();
    await receipts.attestRuns(2);
    expect(receipts.rows('SELECT shard, size, status FROM receipts_logs ORDER BY log')).to.deep.equal([
      { shard: '0', size: made.position.index + 1, status: 'frozen' },
      { shard: '1', size: 3, status: 'active' },
    ]);
    expect((await rotate(receipts, 'log')).origin?.split('/').at(-1)).to.equal('2');
  });
});
