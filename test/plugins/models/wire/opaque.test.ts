import { expect } from 'chai';
import { opaqueOf, signatureOf } from '../../../../plugins/models/wire/opaque.ts';

describe('a signature of a vendor', () => {
  it('of its own door is the text of the vendor', () => {
    const opaque = { adapter: 'anthropic', data: 'EqQBCg' };
    expect(signatureOf(opaque, 'anthropic')).to.equal('EqQBCg');
    expect(opaqueOf('EqQBCg', 'anthropic')).to.deep.equal(opaque);
  });

  it('of another vendor comes back the same', () => {
    const opaque = { adapter: 'openai-compatible', data: '{"id":"rs_1"}' };
    expect(opaqueOf(signatureOf(opaque, 'anthropic'), 'anthropic')).to.deep.equal(opaque);
  });

  for (const text of ['orb1.', 'orb1.e30', 'orb1.bnVsbA', 'orb1.!!!'])
    it(`that cannot be read is left out: ${text}`, () => void expect(opaqueOf(text, 'gemini')).to.equal(undefined));
});
