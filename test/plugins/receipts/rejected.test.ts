import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { rejectedReasons } from '../../../kernel/adapter.ts';
import { canonical, given } from '../../../kernel/index.ts';
import { deriveScoreFact, scoreRun } from '../../../plugins/receipts/format/score.ts';
import { subjects } from '../../../plugins/receipts/format/subject.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { updating } from '../../helpers/updating.ts';
import { signedText, vectorStatement, vectorTrust } from './sample.ts';

const file = new URL('./rejected-vectors.json', import.meta.url);

// The run of the other vectors, if its provider had rejected it.
function rejectedText(reason: string | undefined): string {
  const { predicate, ...statement } = vectorStatement();
  const { outputs: _, ...rest } = predicate.facts;
  const attempts = rest.attempts.map((one) => ({ ...one, outcome: 'rejected' as const, ...given({ reason }) }));
  const schema = { ...rest.schema, outputs: 'absent' as const };
  const facts = { ...rest, attempts, schema, outcome: 'rejected' as const } as typeof predicate.facts;
  const all = { ...predicate, status: 'failed' as const, reason: 'provider_rejected', facts };
  const { latency_ok: __, ...fact } = all.score_fact;
  const scored = { ...all, score: scoreRun(all), score_fact: { ...fact, ...given(deriveScoreFact(all)) } };
  return canonical({ ...statement, predicate: scored, subject: subjects(scored) });
}

function vectorOf(reason: string) {
  const payload = rejectedText(reason);
  const payload_sha256_hex = createHash('sha256').update(payload).digest('hex');
  return { reason, payload, payload_sha256_hex, artefact: JSON.parse(signedText(payload)) as object };
}

describe('the receipt of a run that a provider rejected', () => {
  const verdict = (reason?: string) => verify(signedText(rejectedText(reason)), vectorTrust).overall;

  it('verifies with each reason of the list, and without one', () => {
    for (const reason of [...rejectedReasons, undefined]) expect(verdict(reason), reason).to.equal('VERIFIED');
  });

  it('is refused with another reason', () => {
    for (const reason of ['gone', '', 'recipient_gone ']) expect(verdict(reason), reason).to.equal('REJECTED');
  });

  it('has the reason as the last member of the attempt, and none without one', () => {
    expect(rejectedText('sender_refused')).to.match(/"provider":"[^"]+","reason":"sender_refused"\}/);
    expect(rejectedText(undefined)).to.not.match(/"provider":"[^"]+","reason"/);
  });

  it('has published vectors (UPDATE_GOLDEN=1 writes them again)', () => {
    const note =
      'Runs that a provider rejected: facts.attempts[].reason. Same test seeds and log name as vectors.json.';
    const computed = { note, vectors: rejectedReasons.map(vectorOf) };
    if (updating) writeFileSync(file, `${JSON.stringify(computed, null, 2)}\n`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(computed);
    for (const { artefact } of computed.vectors)
      expect(verify(JSON.stringify(artefact), vectorTrust).overall).to.equal('VERIFIED');
  });
});
