import { expect } from 'chai';
import { similarTo } from '../../../kernel/tools/similar.ts';

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
  ] as const)
    it(`of ${written.slice(0, 20)} among ${words.join(', ').slice(0, 40)} is ${meant}`, () => {
      expect(similarTo(written, words)).to.equal(meant);
    });

  it('is sought among the first thousand words', () => {
    const words = Array.from({ length: 1000 }, (_, at) => `w${at}`.padStart(12, '-'));
    expect(similarTo('subjekt', [...words, 'subject'])).to.equal(undefined);
    expect(similarTo('subjekt', [...words.slice(1), 'subject'])).to.equal('subject');
  });
});
