import { expect } from 'chai';
import fc from 'fast-check';
import { privateKeyOf, rawPublicKey, signWith, verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import {
  checkpointText,
  parseCheckpoint,
  parseUint64,
  cosigned,
  noteOf,
  openNote,
  parseNote,
  signatureLine,
  formatVkey,
  noteKey,
  parseVkey,
} from '../../../../plugins/receipts/log/pure/note.ts';
import { encodeSpki, entryOf } from '../../../../plugins/receipts/log/pure/entry.ts';
import { hashLeaf } from '../../../../plugins/receipts/log/pure/tree.ts';
import { formatPolicy, hasQuorum, parsePolicy } from '../../../../plugins/receipts/log/pure/policy-file.ts';
import { formatProof, parseProof } from '../../../../plugins/receipts/log/pure/proof-file.ts';
import { verifyInclusion } from '../../../../plugins/receipts/log/pure/verify-proof.ts';
import { verifyPortable } from '../../../../plugins/receipts/format/portable-ed25519.ts';
import { vectors } from '../sample.ts';

const { keys, run_receipt: run } = vectors;
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const logSeed = privateKeyOf(Buffer.from(keys.log_seed_hex, 'hex'));
const witnessSeed = privateKeyOf(Buffer.from(keys.witness_seed_hex, 'hex'));
const logKey = noteKey(keys.log_name, rawPublicKey(logSeed));
const witnessKey = noteKey(keys.witness_name, rawPublicKey(witnessSeed), 'cosignature');
const cosignedNote = vectors.tlog_proof.slice(vectors.tlog_proof.indexOf('\n\n') + 2);
const opened = (note: string, known = [logKey]) => {
  const parsed = parseNote(note);
  return parsed === undefined ? undefined : openNote(parsed, known, verifySignature);
};

describe('a vkey', () => {
  it('is written and read as published, of a log and of a witness', () => {
    expect(formatVkey(logKey)).to.equal(keys.log_vkey);
    expect(formatVkey(witnessKey)).to.equal(keys.witness_vkey);
    expect(parseVkey(keys.log_vkey)).to.deep.equal(logKey);
    expect(parseVkey(keys.witness_vkey)).to.deep.equal(witnessKey);
    const spec = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
    expect(formatVkey(parseVkey(spec) ?? logKey)).to.equal(spec);
  });

  it('is refused with another id, kind or length, or a name that cannot stand in a line', () => {
    const [name = '', , encoded = ''] = keys.log_vkey.split('+');
    for (const text of [
      keys.log_vkey.replace('+e7d5fdc9+', '+e7d5fdc8+'),
      keys.log_vkey.replace('+e7d5fdc9+', '+E7D5FDC9+'),
      keys.log_vkey.slice(0, -4),
      `a ${keys.log_vkey}`,
      `${name}+e7d5fdc9+Ag${encoded.slice(2)}`,
      '',
      '++',
    ])
      expect(parseVkey(text), text).to.equal(undefined);
    for (const bad of ['', 'a b', 'a+b', 'a\u2003b', 'a\n']) expect(() => noteKey(bad, logKey.publicKey)).to.throw();
  });
});

describe('a signed note', () => {
  it('is made, byte for byte, as published', () => {
    const root = bytes('3bib5AOAnjJXUNPSY814kpwpQreUKjS3fhIslZSnTIw=');
    const text = checkpointText({ origin: keys.log_name, size: 7n, root });
    expect(noteOf(text, [signatureLine(logKey, signWith(logSeed, Buffer.from(text)))])).to.equal(vectors.checkpoint);
  });

  it('is opened with the key that signed it, and its checkpoint read', () => {
    expect(opened(vectors.checkpoint)).to.deep.equal({ by: [logKey] });
    expect(opened(vectors.checkpoint, [])).to.deep.equal({ by: [] });
    expect(parseCheckpoint(parseNote(vectors.checkpoint)?.text ?? '')).to.deep.include({
      origin: keys.log_name,
      size: 7n,
    });
    const known = parseNote(vectors.checkpoint);
    expect(known && openNote(known, [logKey], verifyPortable)).to.deep.equal({ by: [logKey] });
  });

  it('has its witness’s line checked, at the time it bears', () => {
    expect(opened(cosignedNote, [logKey, witnessKey])).to.deep.equal({ by: [logKey, witnessKey] });
    const text = parseNote(cosignedNote)?.text ?? '';
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(1_763_670_000n);
    const signature = Buffer.concat([time, signWith(witnessSeed, cosigned(text, 1_763_670_000n))]);
    expect(cosignedNote.endsWith(signatureLine(witnessKey, signature))).to.equal(true);
  });

  it('passes over lines of unknown keys, in any order, and refuses a false line of a known one', () => {
    const [head = '', lines = ''] = vectors.checkpoint.split('\n\n');
    const dummy = signatureLine(noteKey('grease.example', new Uint8Array(32)), new Uint8Array(7).fill(9));
    const renamed = signatureLine({ ...logKey, id: Uint8Array.of(1, 2, 3, 4) }, new Uint8Array(64));
    for (const note of [`${head}\n\n${dummy}${lines}`, `${head}\n\n${lines}${dummy}${renamed}`])
      expect(opened(note)).to.deep.equal({ by: [logKey] });
    const forged = signatureLine(witnessKey, new Uint8Array(72));
    expect(opened(`${head}\n\n${lines}${forged}`, [logKey, witnessKey])).to.deep.equal({ forged: witnessKey });
    expect(opened(`${head}\n\n${lines}${forged}`)).to.deep.equal({ by: [logKey] });
    const short = signatureLine(witnessKey, new Uint8Array(64));
    expect(opened(`${head}\n\n${lines}${short}`, [witnessKey])).to.deep.equal({ forged: witnessKey });
    expect(opened(vectors.checkpoint.replace('\n7\n', '\n8\n'))).to.deep.equal({ forged: logKey });
  });

  it('is malformed without a blank line, a newline at its end or a proper signature line', () => {
    const [head = '', line = ''] = vectors.checkpoint.split('\n\n');
    for (const note of [
      '',
      '\n',
      head,
      `${head}\n\n`,
      `${head}\n\n${line.slice(0, -1)}`,
      `${head}\n\n${line.replace('\u2014', '-')}`,
      `${head}\n\n${line.replace(' ', '  ')}`,
      `${head}\n\n${line.replace('=\n', '\n')}`,
      `${head}\r\n\n${line}`,
      `${head}\n\n${line}x`,
      `\ud800${head}\n\n${line}`,
    ])
      expect(parseNote(note), JSON.stringify(note)).to.equal(undefined);
  });
});

describe('a checkpoint', () => {
  it('is malformed with leading zeros, a size beyond 64 bits, junk in base64 or an empty line', () => {
    const root = '3bib5AOAnjJXUNPSY814kpwpQreUKjS3fhIslZSnTIw=';
    expect(parseCheckpoint(`o\n7\n${root}\n`)).to.not.equal(undefined);
    expect(parseCheckpoint(`o\n18446744073709551615\n${root}\nextension\n`)?.size).to.equal(18446744073709551615n);
    for (const text of [
      `o\n07\n${root}\n`,
      `o\n-1\n${root}\n`,
      `o\n18446744073709551616\n${root}\n`,
      `o\n7\n${root.replace('=', '')}\n`,
      `o\n7\n${root.slice(4)}\n`,
      `o\n7\n${root}`,
      `o\n7\n${root}\n\n`,
      `\n7\n${root}\n`,
      'o\n7\n',
    ])
      expect(parseCheckpoint(text), JSON.stringify(text)).to.equal(undefined);
    expect(parseUint64('')).to.equal(undefined);
  });
});

describe('the entry of a receipt', () => {
  it('is the published one, byte for byte, with its leaf hash', () => {
    const payload = Buffer.from(run.payload);
    const [{ sig }] = run.envelope.signatures as [{ sig: string }];
    const spki = bytes(run.spki_der_b64);
    const entry = entryOf(payload, bytes(sig), spki.subarray(-32));
    expect(encodeSpki(spki.subarray(-32))).to.equal(run.spki_der_b64);
    expect(Buffer.from(entry).toString()).to.equal(run.leaf);
    expect(Buffer.from(hashLeaf(entry)).toString('base64')).to.equal(run.leaf_hash_b64);
  });
});

describe('a proof file', () => {
  it('is written and read as published, and proves what it says', () => {
    const proof = parseProof(vectors.tlog_proof);
    if (proof === undefined) return expect.fail('not read');
    expect(formatProof(proof)).to.equal(vectors.tlog_proof);
    const checkpoint = parseCheckpoint(parseNote(proof.checkpoint)?.text ?? '');
    const leaf = hashLeaf(Buffer.from('40414243', 'hex'));
    const { size = 0n, root = leaf } = checkpoint ?? {};
    expect(verifyInclusion({ ...proof, size, leaf, root })).to.equal(true);
    expect(formatProof({ index: 0n, hashes: [], checkpoint: run.checkpoint })).to.equal(run.tlog_proof);
    expect(parseProof(run.tlog_proof)).to.deep.equal({ index: 0n, hashes: [], checkpoint: run.checkpoint });
  });

  it('may bear an extra line, which is not believed', () => {
    const text = vectors.tlog_proof.replace('\nindex', '\nextra aGVsbG8=\nindex');
    expect(parseProof(text)).to.deep.equal(parseProof(vectors.tlog_proof));
    expect(parseProof(text.replace('aGVsbG8=', 'aGVsbG8'))).to.equal(undefined);
  });

  it('is malformed with another first line, index, hash or no checkpoint', () => {
    for (const [from, to] of [
      ['@v1', '@v2'],
      ['index 5', 'index 05'],
      ['index 5', 'index -5'],
      ['index 5', 'index 18446744073709551616'],
      ['vBoG', 'vBo_'],
      ['vBoG', ''],
      ['\n\norbs', '\norbs'],
    ] as const)
      expect(parseProof(vectors.tlog_proof.replace(from, to)), `${from} → ${to}`).to.equal(undefined);
  });
});

describe('a trust file', () => {
  it('names logs, witnesses, groups and a quorum', () => {
    const policy = parsePolicy(`
      # comment
      log ${keys.log_vkey} https://log.example # more
      witness w1 ${keys.witness_vkey}
      group g any w1
      quorum g`);
    expect(policy?.logs).to.deep.equal([logKey]);
    expect(policy && hasQuorum(policy, [...policy.witnesses.values()])).to.equal(true);
    expect(policy && hasQuorum(policy, [logKey])).to.equal(false);
    const own = parsePolicy(formatPolicy([logKey]));
    expect(own?.logs).to.deep.equal([logKey]);
    expect(own && hasQuorum(own, [])).to.equal(true);
  });

  it('counts members of groups, of groups too', () => {
    const witnesses = Array.from({ length: 40 }, (_, at) => {
      const seed = privateKeyOf(Buffer.alloc(32, at + 1));
      return noteKey(`w${at}.example`, rawPublicKey(seed), 'cosignature');
    });
    const lines = witnesses.map((key, at) => `witness w${at} ${formatVkey(key)}`).join('\n');
    const text = `${lines}\ngroup a 2 w0 w1 w2\ngroup b all w3 w4\ngroup c any a b\nquorum c\n`;
    const policy = parsePolicy(text);
    if (policy === undefined) return expect.fail('not read');
    const by = (...which: number[]) => which.map((at) => policy.witnesses.get(`w${at}`) ?? logKey);
    expect([by(0, 2), by(3, 4), by(0, 3), by(3), by()].map((keysOf) => hasQuorum(policy, keysOf))).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('is refused when a line is unknown, a name used twice or too early, or a quorum missing', () => {
    const witness = `witness w ${keys.witness_vkey}\n`;
    for (const text of [
      '',
      `log ${keys.log_vkey}\n`,
      `quorum none\nquorum none\n`,
      `log ${keys.witness_vkey}\nquorum none\n`,
      `witness w ${keys.log_vkey}\nquorum none\n`,
      `${witness}${witness}quorum none\n`,
      `group g any w\n${witness}quorum none\n`,
      `${witness}group g 2 w\nquorum none\n`,
      `${witness}group g any w\ngroup h any w\nquorum none\n`,
      `${witness}group g any w w\nquorum g\n`,
      `${witness}group g 0 w\nquorum g\n`,
      'quorum nobody\n',
      'trust everybody\nquorum none\n',
      'log x\nquorum none\n',
    ])
      expect(parsePolicy(text), JSON.stringify(text)).to.equal(undefined);
  });
});

describe('the parsers of the log', () => {
  const parsers = [parseNote, parseCheckpoint, parseProof, parsePolicy, parseVkey, parseUint64] as const;
  const samples = [vectors.checkpoint, vectors.tlog_proof, keys.log_vkey, formatPolicy([logKey]), '7'];

  it('answer, and never throw, whatever they are given', () => {
    const near = fc
      .tuple(fc.constantFrom(...samples), fc.nat(), fc.string({ unit: 'binary', maxLength: 4 }), fc.nat({ max: 8 }))
      .map(([text, at, insert, cut]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + insert + text.slice(place + cut);
      });
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: 'binary' })), (text) => {
        for (const parse of parsers) parse(text);
        const note = parseNote(text);
        if (note !== undefined) openNote(note, [logKey, witnessKey], verifySignature);
      }),
      { numRuns: 2000 },
    );
  });
});
