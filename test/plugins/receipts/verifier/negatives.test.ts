import { expect } from 'chai';
import { canonical } from '../../../../kernel/index.ts';
import { formatProof } from '../../../../plugins/receipts/log/pure/proof-file.ts';
import { claimedCheckpoint, claimedPosition, verify } from '../../../../plugins/receipts/verifier/verify.ts';
import { provedIn, signedEnvelope, vectorStatement, vectorTrust } from '../sample.ts';
import { checkNames, type Report } from '../../../../plugins/receipts/verifier/report.ts';
import { beside, chained, freshAt, negatives, positives, smaller, together } from './fixtures/negatives.ts';

const failures = ({ checks }: Report) => checks.filter(({ result }) => result === 'fail').map(({ name }) => name);

describe('each verdict', () => {
  it('has at least two vectors that fail for its reason alone', () => {
    for (const name of checkNames)
      expect(negatives.filter(({ verdict }) => verdict === name).length, name).to.be.at.least(2);
  });

  for (const { name, report, verdict } of negatives)
    it(`${verdict} alone fails: ${name}`, () => {
      const found = report();
      expect(failures(found)).to.deep.equal([verdict]);
      expect(found.overall).to.equal('REJECTED');
      expect(found.exit).to.not.equal(0);
    });

  for (const [name, report] of positives)
    it(`passes without the flaw: ${name}`, () => {
      const found = report();
      expect([failures(found), found.overall], JSON.stringify(found.checks)).to.deep.equal([[], 'VERIFIED']);
    });
});

describe('what could not be checked', () => {
  it('is a limit, and a refusal when it was asked for', () => {
    for (const asked of [beside({ seen: [] }), beside({ seen: [smaller] }), freshAt()])
      expect([asked.overall, asked.exit, failures(asked)]).to.deep.equal(['REJECTED', 3, []]);
    const unasked = beside({ seen: [smaller] }, []);
    expect([unasked.overall, unasked.exit]).to.deep.equal(['VERIFIED-WITH-LIMITS', 0]);
    expect(unasked.limits.join()).to.match(/^consistency_with_last_seen: not checked: /);
  });

  it('between receipts is named: a gap, a part of a log, a log whose key is pinned and that is not there', () => {
    const all = chained(4);
    const [first, , third, fourth] = all;
    const gap = together([first, third, fourth].filter((report) => report !== undefined));
    expect(gap.overall).to.equal('VERIFIED-WITH-LIMITS');
    expect(gap.limits.join('\n')).to.match(/^orbiset_chain: [^]*completeness: /);
    const pinned = [all[0]?.place?.checkpoint.origin ?? '', 'x'];
    expect(together(all, { pinned }).overall).to.equal('VERIFIED');
    const other = (pinned[0] ?? '').replace(/0$/, '1');
    const silent = together(all, { complete: true, pinned: [...pinned, other] });
    expect([silent.overall, silent.limits.join()]).to.deep.equal([
      'VERIFIED-WITH-LIMITS',
      `completeness: not checked: the key of ${other} is pinned, but no receipt is from this log`,
    ]);
  });

  it('is everything when nothing was verified', () => {
    expect(together([], { complete: true }).exit).to.equal(1);
    expect(together([]).overall).to.equal('VERIFIED-WITH-LIMITS');
  });
});

describe('the place of a receipt', () => {
  const { entry, envelope } = signedEnvelope(canonical(vectorStatement()));
  const proof = provedIn([Buffer.from('other'), entry], 1);
  const logged = { envelope, proof };
  const file = formatProof({
    index: 1n,
    hashes: proof.hashes.map((hash) => Buffer.from(hash, 'base64')),
    checkpoint: proof.checkpoint,
  });
  const placed = (artefact: object, trust = vectorTrust) => verify(JSON.stringify(artefact), trust).place;
  const unknown = signedEnvelope(canonical({ ...vectorStatement(), predicateType: 'urn:agent-orb:run:v2' }));

  it('is reported once everything about it was verified, with its link in the chain of its Orbiset', () => {
    expect(placed(logged)).to.deep.include({ index: 1n, before: [] });
    expect(placed(logged)?.link).to.include({ sequence: 1 }).and.not.to.have.property('previous_digest');
  });

  it('is reported of an unknown kind too, without a link', () => {
    const place = placed({ envelope: unknown.envelope, proof: provedIn([unknown.entry]) });
    expect(place).to.include({ index: 0n }).and.not.to.have.property('link');
    const copied = { envelope: unknown.envelope, proof: provedIn([unknown.entry]), receipt_id: 'another' };
    expect(placed(copied)).to.equal(undefined);
  });

  it('is not reported when a verdict failed, or one of the log was not made', () => {
    expect(placed({ ...logged, tier: 'gold' })).to.equal(undefined);
    expect(placed({ ...logged, proof: { ...proof, index: 0 } })).to.equal(undefined);
    expect(verify(JSON.stringify({ envelope }), vectorTrust, { unlogged: true }).place).to.equal(undefined);
    const keys = { keys: vectorTrust.keys };
    expect(verify(JSON.stringify(logged), keys, { unlogged: true }))
      .to.include({ exit: 0 })
      .and.not.have.property('place');
  });

  it('is that of the proof file, when one is given', () => {
    const other = { envelope, proof: provedIn([Buffer.from('other'), entry, entry], 1) };
    const { place } = verify(JSON.stringify(other), vectorTrust, { proof: file });
    expect([place?.index, place?.checkpoint.size]).to.deep.equal([1n, 2n]);
    expect(place?.others?.map(({ size }) => size)).to.deep.equal([3n]);
    const report = verify(JSON.stringify(logged), vectorTrust, { proof: 'x' });
    expect([report.exit, report.hint]).to.deep.equal([2, 'the proof file is malformed']);
  });

  it('is read unverified, to know which log to ask', () => {
    const text = JSON.stringify(logged);
    expect(claimedPosition(text)).to.deep.equal({ origin: proof.origin, index: 1n });
    expect(claimedCheckpoint(text)?.size).to.equal(2n);
    expect(claimedCheckpoint(JSON.stringify({ envelope }), file)?.size).to.equal(2n);
    expect(claimedCheckpoint(text, 'x')).to.equal(undefined);
    for (const none of ['x', JSON.stringify({ envelope }), text.padEnd(1_048_577)])
      expect([claimedPosition(none), claimedCheckpoint(none)]).to.deep.equal([undefined, undefined]);
    expect(claimedPosition(text.padEnd(1_048_576))?.index).to.equal(1n);
    expect(verify(text.padEnd(1_048_576), vectorTrust).exit).to.equal(0);
  });
});
