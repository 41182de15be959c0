import { expect } from 'chai';
import fc from 'fast-check';
import { mostSent, SentShapes, type SentShape } from '../../../../plugins/receipts/issue/split-statement.ts';
import { Shapes } from '../../../../plugins/receipts/issue/shapes.ts';

// None of the shapes is stored here.
const writer = (): Pick<Shapes, 'textOf'> => new Shapes({ prepare: () => ({}) } as never);

describe('the shapes that are sent to the writer', () => {
  it('carry their text until the writer has it, and one number for one text', () => {
    const shapes = new SentShapes();
    const first = shapes.find('default', 'a.b@1.0.0', ['{"a":', 1, ',"ä":', true, '}']);
    expect(first.shape).to.deep.equal({ number: 1, bytes: 17, text: '{"a":1,"ä":true}' });
    expect(shapes.find('default', 'a.b@1.0.0', ['{"a":', 1, ',"ä":', true, '}']).shape).to.equal(first.shape);
    first.held();
    expect(shapes.find('default', 'a.b@1.0.0', ['{"a":', 1, ',"ä":', true, '}']).shape).to.deep.equal({
      number: 1,
      bytes: 17,
    });
    for (const [orbiset, orb, parts] of [
      ['default', 'a.b@1.0.0', ['{"a":', 2, ',"ä":', true, '}']],
      ['default', 'a.b@1.0.0', ['{"a":', 1, ',"ä":', true]],
      ['default', 'a.b@1.0.0', ['{"a":', '1', ',"ä":', true, '}']],
      ['other', 'a.b@1.0.0', ['{"a":', 1, ',"ä":', true, '}']],
      ['default', 'a.c@1.0.0', ['{"a":', 1, ',"ä":', true, '}']],
    ] as const)
      expect(shapes.find(orbiset, orb, parts).shape.text).to.equal(parts.join(''));
  });

  it('are told apart at the writer, however many there are and however late they are held', () => {
    const sends = fc.array(
      fc.record({ orbiset: fc.nat(3), orb: fc.nat(3), text: fc.nat(700), held: fc.boolean(), late: fc.nat(5) }),
      { minLength: 1, maxLength: 4000, size: 'max' },
    );
    fc.assert(
      fc.property(sends, (all) => {
        const shapes = new SentShapes();
        const received = writer();
        const answers: (() => void)[] = [];
        const way: { readonly shape: SentShape; readonly text: string; readonly held: () => void }[] = [];
        const arrive = (): void => {
          const one = way.shift();
          if (one === undefined) return;
          expect(received.textOf(one.shape)).to.equal(one.text);
          answers.push(one.held);
        };
        for (const { orbiset, orb, text, held, late } of all) {
          const parts = ['{', text, '}'];
          const sent = shapes.find(`${orbiset}`, `${orb}`, parts);
          way.push({ shape: sent.shape, text: parts.join(''), held: () => sent.held() });
          if (held) answers.shift()?.();
          while (way.length > late) arrive();
        }
        while (way.length > 0) arrive();
      }),
      { numRuns: 30 },
    );
  });

  it('start again when there are too many, and the writer still has those on the way', () => {
    const shapes = new SentShapes();
    const received = writer();
    const old = shapes.find('default', 'old', ['old']);
    received.textOf(old.shape);
    old.held();
    const onTheWay = old.shape;
    for (let at = 0; at < mostSent; at++) received.textOf(shapes.find('default', `${at}`, [at]).shape);
    expect(received.textOf(onTheWay)).to.equal('old');
    expect(shapes.find('default', 'old', ['old']).shape).to.deep.equal({ number: mostSent + 2, bytes: 3, text: 'old' });
  });
});
