import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { canonical } from '../../../../kernel/index.ts';
import { commitWith, createCommit, opening } from '../../../../plugins/receipts/format/commitment.ts';
import { vectors, vectorStatement } from '../sample.ts';

describe('a commitment', () => {
  const { facts } = vectorStatement().predicate;

  for (const name of ['inputs', 'outputs'] as const)
    it(`to the ${name} of the vector run is the vector’s`, () => {
      const salt = Buffer.from(vectors.run_receipt.salts_hex[name], 'hex');
      const { digest, size } = commitWith(salt, canonical(vectors.run_receipt.values[name]));
      expect({ commitment: digest, size }).to.deep.equal(facts[name]);
    });

  it('measures bytes, not characters', () => {
    expect(commitWith(new Uint8Array(16), 'wörld').size).to.equal(6);
  });

  it('is opened by salt and canonical form: their plain SHA-256 is the digest', () => {
    const made = createCommit()('{"a":"ä","b":1}');
    expect(Buffer.from(opening(made)).subarray(16).toString()).to.equal('{"a":"ä","b":1}');
    expect(`sha256:${createHash('sha256').update(opening(made)).digest('hex')}`).to.equal(made.digest);
  });

  it('takes a new salt each time, also past the end of the pool, and leaves earlier salts as they were', () => {
    const commit = createCommit();
    const made = Array.from({ length: 1100 }, () => commit('same'));
    expect(new Set(made.map(({ digest }) => digest)).size).to.equal(1100);
    for (const { digest, salt } of made) {
      expect(salt).to.have.length(16);
      expect(commitWith(salt, 'same').digest).to.equal(digest);
    }
  });
});
