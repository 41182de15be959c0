import { expect } from 'chai';
import fc from 'fast-check';
import { cutShape, fill, joinValues, Values } from '../../../../plugins/receipts/format/shape.ts';

// Text as canonical JSON writes it: no control characters.
const word = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replace(/[\u0000-\u001f]/g, ''));
const pieces = fc.array(fc.record({ text: word, value: fc.oneof(word, fc.nat()), left: fc.boolean() }), {
  maxLength: 12,
});

describe('a text in shape and values', () => {
  it('is the whole text again, whatever stands in it and wherever places were left', () => {
    fc.assert(
      fc.property(pieces, word, (parts, last) => {
        const own = new Values();
        const shape =
          parts.map(({ left, text, value }) => text + (left ? own.leave() : own.add(value))).join('') + last;
        const left = parts.filter((part) => part.left).map(({ value }) => `${value}`);
        const whole = parts.map(({ text, value }) => `${text}${value}`).join('') + last;
        expect(fill(cutShape(shape), joinValues(own.sections, left))).to.equal(whole);
      }),
    );
  });

  it('holds a long value once, however often it stands there, and a short one as often', () => {
    const own = new Values();
    const long = 'f'.repeat(16);
    const shape = `${own.add(long)}-${own.add('short')}-${own.leave()}-${own.add(long)}-${own.add('short')}`;
    expect(own.sections).to.deep.equal([`${long}\nshort\n`, 'short\n']);
    expect(fill(cutShape(shape), joinValues(own.sections, ['7']))).to.equal(`${long}-short-7-${long}-short`);
  });

  it('is not made of values that are more or fewer than the places, or cut off', () => {
    const cut = cutShape('a\nb\nc');
    expect(fill(cut, '1\n2\n')).to.equal('a1b2c');
    for (const values of ['', '1\n', '1\n2', '1\n2\n3\n', '1\n2\n3'])
      expect(fill(cut, values), values).to.equal(undefined);
  });
});
