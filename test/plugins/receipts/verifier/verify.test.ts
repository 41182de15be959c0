import { expect } from 'chai';
import { canonical } from '../../../../kernel/index.ts';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import type { CheckName, Report } from '../../../../plugins/receipts/verifier/report.ts';
import { readTrust, trustOf } from '../../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../../plugins/receipts/verifier/verify.ts';
import { signedText, vectorKeys, vectors, vectorStatement, vectorTrust } from '../sample.ts';

const statement = vectorStatement();
const { predicate } = statement;
const bare = JSON.stringify(vectors.run_receipt.envelope);
const { tlog_proof: proofFile, position, checkpoint, leaf } = vectors.run_receipt;
const document = {
  receipt_id: predicate.receipt_id,
  trust_score: 80,
  risk_level: 'medium',
  signature_valid: true,
  timestamp: predicate.finished_at,
  statement,
  envelope: vectors.run_receipt.envelope,
  proof: { ...position, tree_size: 1, hashes: [], leaf: Buffer.from(leaf).toString('base64'), checkpoint },
  checks: [{ name: 'envelope', result: 'pass' }],
};
const native = JSON.stringify(document);

const resultOf = (report: Report, name: CheckName) => report.checks.find((check) => check.name === name)?.result;
const failures = (report: Report) => report.checks.filter(({ result }) => result === 'fail').map(({ name }) => name);

describe('verifying a receipt', () => {
  for (const [form, artefact, proof] of [
    ['the JSON the API answers', native, undefined],
    ['a bare envelope with a proof file', bare, proofFile],
  ] as const)
    for (const [crypto, options] of [
      ['the portable crypto', {}],
      ['the crypto of the runtime', { verifySignature }],
    ] as const)
      it(`accepts the vector run as ${form} with ${crypto}`, () => {
        const report = verify(artefact, vectorTrust, { ...options, ...(proof === undefined ? {} : { proof }) });
        expect([report.overall, report.exit, report.limits]).to.deep.equal(['VERIFIED', 0, []]);
        expect(report.checks.map(({ name, result }) => `${name} ${result}`)).to.deep.equal([
          'envelope pass',
          'key_trusted pass',
          'statement_schema pass',
          'readable_copy_matches pass',
          'score_recomputes pass',
          'leaf_matches_envelope pass',
          'inclusion pass',
          'checkpoint_signature pass',
          'key_status_at_index pass',
        ]);
        expect(report.values).to.include({ receipt_id: predicate.receipt_id, trust_score: 80, risk_level: 'medium' });
      });

  it('refuses a receipt without its proof, and with --unlogged accepts it within limits, which it names', () => {
    const stripped = JSON.stringify({ ...document, proof: undefined });
    for (const text of [bare, stripped]) {
      const report = verify(text, vectorTrust);
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 3]);
      expect(resultOf(report, 'key_status_at_index')).to.equal('not_checked');
      const lowered = verify(text, vectorTrust, { unlogged: true });
      expect([lowered.overall, lowered.exit]).to.deep.equal(['VERIFIED-WITH-LIMITS', 0]);
      expect(lowered.limits.join()).to.match(/^unlogged/);
    }
  });

  it('takes values from the payload, whatever the copy says', () => {
    const report = verify(JSON.stringify({ ...document, trust_score: 99 }), vectorTrust);
    expect(report.exit).to.equal(1);
    expect(failures(report)).to.deep.equal(['readable_copy_matches']);
    expect(report.values?.trust_score).to.equal(80);
  });

  it('ignores what the server thought of it at the time', () => {
    const opinions = { signature_valid: false, checks: [], effective: { trust_score: 0 }, resolution: 'rec_x' };
    expect(verify(JSON.stringify({ ...document, ...opinions }), vectorTrust).exit).to.equal(0);
  });

  it('rejects a member beside the envelope that the payload does not yield', () => {
    for (const extra of [{ tier: 'gold' }, { disclosed: { x: {} } }, { disclosed: 1 }, { constructor: 1 }]) {
      const report = verify(JSON.stringify({ ...document, ...extra }), vectorTrust);
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 1]);
    }
  });

  for (const [name, change] of [
    ['receipt_id', { receipt_id: 'rec_01M7X8PQTP0000000000000004' }],
    ['risk_level', { risk_level: 'low' }],
    ['timestamp', { timestamp: '2026-11-20T20:00:00.343Z' }],
    ['statement', { statement: { ...statement, predicate: { ...predicate, tenant: 'other' } } }],
  ] as const)
    it(`rejects an edited copy of ${name}`, () => {
      const report = verify(JSON.stringify({ ...document, ...change }), vectorTrust);
      expect(report.exit).to.equal(1);
      expect(failures(report)).to.deep.equal(['readable_copy_matches']);
    });

  for (const [form, change, exit] of [
    ['a copy of the score', { trust_score: 99 }, 1],
    ['a copy of the statement', { statement: { ...statement, predicate: { ...predicate, tenant: 'other' } } }, 1],
    ['the copies of another receipt', { ...document, receipt_id: 'rec_01M7X8PQTP0000000000000004' }, 2],
  ] as const)
    it(`rejects a bare envelope with ${form} in it that the payload does not yield`, () => {
      const text = JSON.stringify({ ...change, ...document.envelope });
      expect(verify(text, vectorTrust, { proof: proofFile }).exit).to.equal(exit);
    });

  it('has nothing to verify in an answer of execute, a problem with a receipt, or a summary', () => {
    const { statement: _s, envelope: _e, proof: _p, checks: _c, ...summary } = document;
    const { run_id } = predicate;
    for (const answer of [
      { run_id, status: 'completed', outputs: {}, receipt: summary },
      { code: 'x', receipt: summary },
      summary,
    ]) {
      const report = verify(JSON.stringify(answer), vectorTrust);
      expect([report.overall, report.exit]).to.deep.equal(['NOTHING-TO-VERIFY', 3]);
      expect(report.hint).to.include('orb receipts get');
      expect(report.values).to.equal(undefined);
    }
  });

  for (const [name, text] of [
    ['no JSON', 'hello'],
    ['an empty file', ''],
    ['a list', '[]'],
    ['an object without an envelope', '{}'],
    ['a copy whose envelope was taken away', JSON.stringify({ ...document, envelope: undefined })],
    ['an envelope without signatures', JSON.stringify({ ...document.envelope, signatures: [] })],
    ['a payload that is no text', JSON.stringify({ ...document.envelope, payload: 1 })],
    ['a proof that is none', JSON.stringify({ ...document, proof: {} })],
    ['junk in base64', JSON.stringify({ ...document.envelope, payload: `${document.envelope.payload}\n` })],
    ['a member given twice', native.replace('"trust_score":80', '"trust_score":99,"trust_score":80')],
    [
      'a member given twice under an escape',
      native.replace('"trust_score":80', '"trust_scor\\u0065":99,"trust_score":80'),
    ],
    ['nesting without end', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a megabyte', `${native}${' '.repeat(1_048_577)}`],
  ] as const)
    it(`calls malformed: ${name}`, () => {
      const report = verify(text, vectorTrust);
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 2]);
      expect(report.values).to.equal(undefined);
    });

  it('accepts url-safe base64 and unknown members of the envelope, as DSSE wants', () => {
    const { payload, payloadType, signatures } = vectors.run_receipt.envelope;
    const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const [{ sig }] = signatures as [{ sig: string }];
    const envelope = { payloadType, payload: urlSafe(payload), signatures: [{ sig: urlSafe(sig), more: 1 }], more: 1 };
    expect(verify(JSON.stringify(envelope), vectorTrust, { unlogged: true }).exit).to.equal(0);
  });
});

describe('a key', () => {
  const [key, logKey] = vectorKeys.keys;
  const report = (change: object) => verify(native, trustOf([{ ...key, ...change }, logKey]));

  it('is trusted only when it is pinned: one in the artefact counts for nothing', () => {
    for (const text of [native, JSON.stringify({ ...document.envelope, keys: [key], jwk: key })]) {
      const untrusted = verify(text, { keys: [] });
      expect([untrusted.overall, untrusted.exit]).to.deep.equal(['REJECTED', 4]);
      expect(resultOf(untrusted, 'envelope')).to.equal('not_checked');
      expect(untrusted.values).to.equal(undefined);
    }
  });

  it('is untrusted when its id is not its thumbprint, its role another, or the artefact names another', () => {
    expect(report({ kid: 'A'.repeat(43) }).exit).to.equal(4);
    expect(report({ role: 'log' }).exit).to.equal(4);
    expect(report({ role: undefined }).exit).to.equal(4);
    const named = { ...document.envelope, signatures: [{ ...document.envelope.signatures[0], keyid: 'other' }] };
    expect(verify(JSON.stringify(named), vectorTrust).exit).to.equal(4);
  });

  it('that is retired still verifies; one that is revoked, or of an unknown status, does not', () => {
    expect(report({ status: 'retired' }).exit).to.equal(0);
    for (const status of ['revoked', 'lost', undefined]) {
      const revoked = report({ status });
      expect(revoked.exit).to.equal(4);
      expect(failures(revoked)).to.deep.equal(['key_status_at_index']);
    }
  });

  it('must be the one that the statement names', () => {
    const other = { ...statement, predicate: { ...predicate, issuer: { ...predicate.issuer, kid: 'A'.repeat(43) } } };
    const report = verify(signedText(canonical(other)), vectorTrust);
    expect(report.exit).to.equal(4);
    expect(failures(report)).to.deep.equal(['key_trusted']);
  });

  it('set that is no JWK Set, or has a member twice, is none', () => {
    for (const text of ['', '[]', '{}', '{"keys":1}', '{"keys":[],"keys":[]}'])
      expect(readTrust(text)).to.equal(undefined);
    expect(readTrust(JSON.stringify(vectorKeys))).to.deep.equal(vectorTrust);
  });
});

describe('a payload that is correctly signed', () => {
  const signed = (change: (copy: typeof statement) => void): string => {
    const copy = structuredClone(statement);
    change(copy);
    return canonical(copy);
  };
  const chained = signed((copy) => {
    copy.predicate.sequence = 2;
    copy.predicate.previous_digest = `sha256:${'a'.repeat(64)}`;
  });

  it('is accepted with its predecessor’s digest', () => {
    expect(verify(signedText(chained), vectorTrust).exit).to.equal(0);
  });

  const { payload } = vectors.run_receipt;
  const negatives: readonly (readonly [string, string | Uint8Array])[] = [
    ['no JSON', 'hello'],
    ['no UTF-8', Buffer.concat([Buffer.from(payload.slice(0, 40)), Buffer.from([0xff])])],
    ['a byte order mark', `\ufeff${payload}`],
    ['white space', payload.replace(':', ': ')],
    ['another order of members', JSON.stringify(Object.fromEntries(Object.entries(statement).reverse()))],
    ['a member given twice', payload.replace('"tenant":"default"', '"tenant":"other","tenant":"default"')],
    ['a fraction', payload.replace('"execution_ms":342', '"execution_ms":342.5')],
    ['a number too large', payload.replace('"execution_ms":342', '"execution_ms":9007199254740992')],
    ['a null', payload.replace('"health":"up"', '"health":null')],
    ['an unknown member', payload.replace('"tenant":"default"', '"tenant":"default","tier":"gold"')],
    ['a missing member', payload.replace('"mode":"live",', '')],
    ['a wrong word', payload.replace('"mode":"live"', '"mode":"real"')],
    ['a time that does not exist', payload.replace('2026-11-20T20:00:00.342Z', '2026-11-31T20:00:00.342Z')],
    ['a subject that is not the commitment', payload.replace('"sha256":"6fef', '"sha256":"7fef')],
    [
      'a predecessor of the first',
      signed((copy) => void (copy.predicate.previous_digest = `sha256:${'a'.repeat(64)}`)),
    ],
    ['no predecessor of the second', signed((copy) => void (copy.predicate.sequence = 2))],
    ['a reason of success', signed((copy) => void (copy.predicate.reason = 'x'))],
    ['success without an accepting provider', signed((copy) => void (copy.predicate.facts.outcome = 'unknown'))],
    ['reasons of an allowed run', signed((copy) => void (copy.predicate.facts.policy.reasons = []))],
    ['a denial that ran', signed((copy) => void (copy.predicate.facts.policy.decision = 'deny'))],
    ['fewer non-claims', signed((copy) => void copy.predicate.non_claims.pop())],
    [
      'the log of another installation',
      payload.replace('"origin":"ins_01M6B1YQ000000000000000001', '"origin":"ins_01M6B1YQ000000000000000002'),
    ],
    ['more than 16 KB', signed((copy) => void (copy.predicate.tenant = 'a'.repeat(16_384)))],
  ];
  for (const [name, text] of negatives)
    it(`is malformed with ${name}, and nothing else fails`, () => {
      const report = verify(signedText(text), vectorTrust);
      expect(report.exit).to.equal(2);
      expect(failures(report)).to.deep.equal(['statement_schema']);
      expect(report.values).to.equal(undefined);
    });

  it('may have 16 KB, and not a byte more', () => {
    const room = 16_384 - Buffer.byteLength(payload) + 'default'.length;
    const long = (bytes: number) => signed((copy) => void (copy.predicate.tenant = 'a'.repeat(bytes)));
    expect(Buffer.byteLength(long(room))).to.equal(16_384);
    expect(verify(signedText(long(room)), vectorTrust).overall).to.equal('VERIFIED');
    expect(verify(signedText(long(room + 1)), vectorTrust).exit).to.equal(2);
  });

  it('is malformed under another media type', () => {
    const report = verify(signedText(payload, 'text/plain'), vectorTrust);
    expect([report.exit, failures(report)]).to.deep.equal([2, ['statement_schema']]);
  });

  it('of a kind this verifier does not know is not passed', () => {
    const report = verify(signedText(payload.replace('urn:agent-orb:run:v1', 'urn:agent-orb:run:v2')), vectorTrust);
    expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 3]);
    expect(resultOf(report, 'statement_schema')).to.equal('not_checked');
  });

  for (const [name, text] of [
    ['score', signed((copy) => void (copy.predicate.score.trust_score = 81))],
    ['deduction', signed((copy) => void copy.predicate.score.deductions.pop())],
    ['outcome class', signed((copy) => void (copy.predicate.score_fact.outcome_class = 'orb_fault'))],
    ['latency_ok', signed((copy) => void delete copy.predicate.score_fact.latency_ok)],
  ] as const)
    it(`fails when its facts yield another ${name}`, () => {
      const report = verify(signedText(text), vectorTrust);
      expect(report.exit).to.equal(1);
      expect(failures(report)).to.deep.equal(['score_recomputes']);
    });

  it('says freely who called: that is not recomputed', () => {
    const text = signed((copy) => {
      copy.predicate.score_fact.is_self = true;
      delete copy.predicate.score_fact.caller_ref;
    });
    expect(verify(signedText(text), vectorTrust).exit).to.equal(0);
  });
});
