import { expect } from 'chai';
import { createBlocks } from '../../../plugins/docs/block.ts';
import { highlighted } from '../../../plugins/docs/highlight.ts';
import { guideBlocks } from '../../helpers/guide.ts';
import { pages } from '../../helpers/pages.ts';

const plain = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('&amp;', '&');

describe('the code blocks of the documentation', () => {
  for (const [language, text, marked] of [
    [
      'sh',
      'npx orb run x \'{"a":1}\' --json # now',
      ['word npx', 'string \'{"a":1}\'', 'value --json', 'comment # now'],
    ],
    [
      'json',
      '{"a": "b", "n": -1.5, "t": true}',
      ['word "a"', 'string "b"', 'word "n"', 'value -1.5', 'word "t"', 'value true'],
    ],
    ['ts', 'const a = `x`; // y', ['word const', 'string `x`', 'comment // y']],
    ['py', 'if x: # y', ['word if', 'comment # y']],
    ['go', 'var a = "b"', ['word var', 'string "b"']],
    ['yaml', 'a: 1', ['word a', 'value 1']],
    ['rego', 'deny contains x if "y"', ['word contains', 'word if', 'string "y"']],
    ['text', 'const "a" 1', []],
    ['other', 'const "a" 1', []],
    ['constructor', 'const "a" 1', []],
  ] as const)
    it(`are coloured: ${language}`, () => {
      const markup = highlighted(text, language).toString();
      const found = [...markup.matchAll(/<span class="hl-(\w+)">([^]*?)<\/span>/g)].map(
        ([, name = '', part = '']) => `${name} ${plain(part)}`,
      );
      expect(found).to.deep.equal(marked);
      expect(plain(markup)).to.equal(text);
    });

  it('keep the text of every block of every page, and show no markup of it', () => {
    const all = pages.flatMap((page) => guideBlocks(page));
    expect(all.length).to.be.greaterThan(100);
    for (const { code, language } of all) expect(plain(highlighted(code, language).toString())).to.equal(code);
    expect(highlighted('<b>&"', 'sh').toString()).to.not.include('<b>');
  });

  it('have a button each that copies them, unless they are output', () => {
    const blocks = createBlocks();
    expect(blocks.show('done', 'text').toString()).to.not.include('button');
    expect(blocks.copied()).to.equal(false);
    const shown = [blocks.show('ls', 'sh'), blocks.show('pwd', 'sh')].map(String);
    expect(shown[0]).to.include('id="block-1"').and.include('data-copy="block-1"');
    expect(shown[1]).to.include('id="block-2"').and.include('data-copy="block-2"');
    expect(blocks.copied()).to.equal(true);
  });
});
