import { expect } from 'chai';
import { similarTo } from '../../../../kernel/tools/text/similar.ts';

describe('the word that was meant', () => {
  for (const [written, words, meant] of [
    ['prot', ['host', 'port'], 'port'],
    ['sbject', ['subject', 'body'], 'subject'],
    ['Reply-To', ['reply_to', 'to'], 'reply_to'],
    ['notify.email@1.0.1', ['notify.email@1.0.0', 'notify.email@2.0.0'], 'notify.email@1.0.0'],
    ['body', ['boby', 'body'], 'body'],
    ['x', ['y'], 'y'],
    ['colour', ['host', 'port'], undefined],
    ['port', [], undefined],
    ['a'.repeat(300), ['a'.repeat(301)], undefined],
    ['ca', ['abc', 'ac'], 'ac'],
    ['notify.eamil@1.0.0', ['notify.email@1.0.0'], 'notify.email@1.0.0'],
    ['subject', ['sbject', 'subjetc', 'subjekt'], 'sbject'],
    ['abcdef', ['badcfe'], undefined],
    ['abcdefghi', ['badcfeghi'], 'badcfeghi'],
    ['aaaaaaaaaaaa', ['bbaaaaaaaaaabb'], 'bbaaaaaaaaaabb'],
    ['aaaaaaaaa', ['bbaaaaaaaaabb'], undefined],
    [`${'a'.repeat(50)}${'b'.repeat(9)}`, [`${'a'.repeat(50)}${'c'.repeat(9)}`], undefined],
    [`${'a'.repeat(50)}${'b'.repeat(8)}`, [`${'a'.repeat(50)}${'c'.repeat(8)}`], `${'a'.repeat(50)}${'c'.repeat(8)}`],
  ] as const)
    it(`of ${written.slice(0, 20)} among ${words.join(', ').slice(0, 40)} is ${meant}`, () => {
      expect(similarTo(written, words)).to.equal(meant);
    });

  it('is sought among the first thousand words', () => {
    const words = Array.from({ length: 1000 }, (_, at) => `w${at}`.padStart(12, '-'));
    expect(similarTo('subjekt', [...words, 'subject'])).to.equal(undefined);
    expect(similarTo('subjekt', [...words.slice(1), 'subject'])).to.equal('subject');
  });

  it('is no longer sought when the comparison has cost too much', () => {
    let looked = 0;
    const words = function* (): Iterable<string> {
      for (; looked < 1000; looked += 1) yield `y${'a'.repeat(180)}${'d'.repeat(9)}${looked}`;
    };
    expect(similarTo(`x${'a'.repeat(180)}${'c'.repeat(9)}`, words())).to.equal(undefined);
    expect(looked).to.be.below(200);
  });
});
