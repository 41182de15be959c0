import fc from 'fast-check';
import { expect } from 'chai';
import canonicalize from 'canonicalize';
import { decodeAnyBase64, decodeBase64, decodeBase64Url } from '../../../../plugins/receipts/format/base64.ts';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import {
  parseCheckpoint,
  parseUint64,
  openNote,
  parseNote,
  formatVkey,
  parseVkey,
} from '../../../../plugins/receipts/log/pure/note.ts';
import { hasQuorum, parsePolicy } from '../../../../plugins/receipts/log/pure/policy-file.ts';
import { parseProof } from '../../../../plugins/receipts/log/pure/proof-file.ts';
import { entriesOf, parseTileNumber } from '../../../../plugins/receipts/log/pure/tree.ts';
import { readArtefact } from '../../../../plugins/receipts/verifier/artefact.ts';
import { readStatement } from '../../../../plugins/receipts/verifier/statement.ts';
import { parseStrict } from '../../../../plugins/receipts/format/strict-json.ts';
import { readTrust } from '../../../../plugins/receipts/verifier/trust.ts';
import { claimedPosition, verify } from '../../../../plugins/receipts/verifier/verify.ts';
import { signedText, vectorKeys, vectors, vectorTrust } from '../sample.ts';

// FUZZ_RUNS: a thousand in a test run, twenty thousand in a soak.
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 1000);
const { run_receipt: run, keys } = vectors;
const native = signedText(run.payload);
const witnesses = Array.from({ length: 40 }, (_, at) => `witness w${at} ${keys.witness_vkey}\n`).join('');
const trustFile = `# a trust file\nlog ${run.log_vkey} https://x\n${witnesses}group g 2 w1 w2 w3\nquorum g\n`;
const texts = [
  ...[native, vectors.checkpoint, vectors.tlog_proof, run.checkpoint, run.tlog_proof, run.payload, run.leaf],
  ...[run.log_vkey, keys.witness_vkey, trustFile, JSON.stringify(vectorKeys), JSON.stringify(run.envelope)],
];

const bits = [
  '\n',
  '\n\n',
  '\u2014',
  '—  ',
  '+',
  '=',
  '"',
  '\\',
  '\\u0000',
  '\ud800',
  '{',
  '[',
  ']',
  '}',
  ':',
  ',',
  '\0',
];
const numbers = [
  '-1',
  '1e999',
  '18446744073709551616',
  '00',
  '9007199254740993',
  'null',
  'true',
  '__proto__',
  'x'.repeat(300),
];

/** Texts near what is well-formed: pieces cut, doubled, swapped, and what parsers stumble over put in between. */
const near = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.oneof(fc.constantFrom(...bits, ...numbers), fc.string({ unit: 'binary', maxLength: 8 })),
        fc.nat({ max: 40 }),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    fc.nat({ max: 3 }),
  )
  .map(([text, edits, doubled]) => {
    let changed = text;
    for (const [where, insert, cut] of edits) {
      const at = Math.floor(where * changed.length);
      changed = changed.slice(0, at) + insert + changed.slice(at + cut);
    }
    return doubled === 3 ? changed + changed : changed;
  });
const any = fc.oneof({ weight: 6, arbitrary: near }, fc.string({ unit: 'binary' }), fc.json());

/** The one promise of every parser: it answers. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  note: (text) => {
    const note = parseNote(text);
    return note === undefined ? undefined : openNote(note, vectorTrust.policy?.logs ?? [], verifySignature);
  },
  checkpoint: parseCheckpoint,
  number: parseUint64,
  proof: parseProof,
  vkey: (text) => {
    const key = parseVkey(text);
    if (key !== undefined) expect(formatVkey(key)).to.equal(text);
    return key;
  },
  'trust file': (text) => {
    const policy = parsePolicy(text);
    return policy === undefined ? undefined : hasQuorum(policy, [...policy.witnesses.values()]);
  },
  'key set': readTrust,
  'strict JSON': parseStrict,
  artefact: (text) => readArtefact(parseStrict(text)),
  position: claimedPosition,
  statement: (text) => readStatement(Buffer.from(text)),
  'tile number': parseTileNumber,
  bundle: (text) => entriesOf(Buffer.from(text, 'latin1')),
  base64: (text) => [decodeBase64(text), decodeBase64Url(text), decodeAnyBase64(text)],
};

describe('whatever it is given, the parser of', () => {
  for (const [name, parse] of Object.entries(parsers))
    it(`a ${name} answers and throws nothing`, () => {
      fc.assert(
        fc.property(any, (text) => void parse(text)),
        { numRuns },
      );
    }).timeout(600_000);
});

describe('whatever it is given, the verifier', () => {
  const exits = [0, 1, 2, 3, 4, 5];

  it('answers with a report, and VERIFIED for nothing but what was signed', () => {
    fc.assert(
      fc.property(any, (text) => {
        const report = verify(text, vectorTrust, { verifySignature });
        expect(exits).to.include(report.exit);
        if (report.overall !== 'VERIFIED') return;
        expect(report.values?.receipt_id).to.equal('rec_01M7X8PQTP0000000000000003');
      }),
      { numRuns },
    );
  }).timeout(600_000);

  it('answers the same for a text it has parsed and written again', () => {
    fc.assert(
      fc.property(near, (text) => {
        const value = parseStrict(text);
        if (value === undefined) return;
        const again = verify(JSON.stringify(value), vectorTrust, { verifySignature });
        expect(again).to.deep.equal(verify(text, vectorTrust, { verifySignature }));
      }),
      { numRuns },
    );
  }).timeout(600_000);

  it('takes a proof and a trust file of any shape', () => {
    fc.assert(
      fc.property(any, any, (proof, trust) => {
        const text = JSON.stringify(run.envelope);
        const report = verify(text, readTrust(trust) ?? vectorTrust, { proof, verifySignature });
        expect(exits).to.include(report.exit);
      }),
      { numRuns },
    );
  }).timeout(600_000);
});

describe('what is built to be slow or large', () => {
  // Far more than a parser needs that reads its text a few times, far less than one that backtracks.
  const bounded = (name: string, act: () => unknown): void => {
    it(`is refused or read in bounded time and memory: ${name}`, () => {
      const before = process.memoryUsage().heapUsed;
      act();
      expect(process.memoryUsage().heapUsed - before).to.be.lessThan(300_000_000);
    });
  };
  const long = 1_000_000;
  for (const [name, parse] of Object.entries(parsers)) {
    for (const unit of ['\n', 'a', '"', '\\"', '[', '{"a":', '\u2014 a b\n', 'A+', '#', 'x000/', '= ', '\n\n'])
      bounded(`${name}: ${JSON.stringify(unit)} without end`, () => parse(unit.repeat(long / unit.length)));
  }
  bounded('an object with very many members', () => {
    const members = Array.from({ length: 60_000 }, (_, at) => `"m${at}":0`).join();
    return verify(`{${members}}`, vectorTrust);
  });
  bounded('a bundle that claims more than it holds', () => entriesOf(new Uint8Array(long).fill(255)));
  bounded('an envelope of a million letters of base64', () =>
    verify(JSON.stringify({ ...run.envelope, payload: 'A'.repeat(long) }), vectorTrust),
  );
  bounded('very many groups that hold each other', () => {
    const groups = Array.from({ length: 4000 }, (_, at) => `group g${at + 1} all g${at}\n`).join('');
    const policy = parsePolicy(`log ${run.log_vkey}\nwitness g0 ${keys.witness_vkey}\n${groups}quorum g4000\n`);
    return policy === undefined ? undefined : hasQuorum(policy, []);
  });
});

describe('the canonical form', () => {
  it('of what was parsed from it is itself', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parseStrict(text);
        if (value === undefined || /\\ud[89a-f]/i.test(text)) return;
        const form = canonicalize(value) ?? '';
        expect(canonicalize(parseStrict(form))).to.equal(form);
      }),
      { numRuns },
    );
  }).timeout(600_000);
});
