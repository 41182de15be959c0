import { expect } from 'chai';
import { textOf, type Block, type Inline } from '../../../../providers/chat/message/blocks.ts';
import { parseMarkdown } from '../../../../providers/chat/message/markdown.ts';

// A form that is easy to read: styles as tags, blocks in brackets.
const inline = (node: Inline): string => {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'mention') return `@${node.alias}`;
  if (node.kind === 'code') return `<c>${node.text}</c>`;
  const inner = node.content.map(inline).join('');
  return node.kind === 'link' ? `<a ${node.url}>${inner}</a>` : `<${node.kind}>${inner}</${node.kind}>`;
};
const shown = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => {
      if (block.kind === 'paragraph') return `[${block.content.map(inline).join('')}]`;
      if (block.kind === 'quote') return `quote(${shown(block.content)})`;
      if (block.kind === 'list') return `list${block.start ?? ''}(${block.items.map(shown).join(' | ')})`;
      return `${block.kind}(${block.text})`;
    })
    .join(' ');

const rows: Readonly<Record<string, string>> = {
  'plain *words* here': '[plain <emphasis>words</emphasis> here]',
  '_a_ __b__ ~~c~~ **d**': '[<emphasis>a</emphasis> <strong>b</strong> <strike>c</strike> <strong>d</strong>]',
  '**a *b* c**': '[<strong>a <emphasis>b</emphasis> c</strong>]',
  '***both***': '[<strong><emphasis>both</emphasis></strong>]',
  '这是**粗体**文字': '[这是<strong>粗体</strong>文字]',
  'snake_case_name and 2*3*4 and a * b * c': '[snake_case_name and 2*3*4 and a * b * c]',
  '** no** **no ** **': '[** no** **no ** **]',
  '**open': '[**open]',
  '~one~ ~~~three~~~ ****': '[~one~ ~~~three~~~ ****]',
  '\\*no\\* \\`no\\` C:\\dir': '[*no* `no` C:\\dir]',
  '`a*b*` ``x`y`` `open': '[<c>a*b*</c> <c>x`y</c> `open]',
  '[see **it**](https://example.com/a_(b)?c=*d*)': '[<a https://example.com/a_(b)?c=*d*>see <strong>it</strong></a>]',
  '<https://example.com/x>': '[<a https://example.com/x>https://example.com/x</a>]',
  '[a](http://example.com) [b](javascript:alert(1)) [c](https://good@evil.example)':
    '[[a](http://example.com) [b](javascript:alert(1)) [c](https://good@evil.example)]',
  '[[a](https://example.com)]': '[[<a https://example.com>a</a>]]',
  '# heading\n\n| a | b |\n\n---\n\n<b>x</b>': '[# heading] [| a | b |] [---] [<b>x</b>]',
  'one\ntwo\n\n\nthree': '[one\ntwo] [three]',
  '```js\nlet a = `b`;\n\n**c**\n```\nafter': 'code(let a = `b`;\n\n**c**) [after]',
  '~~~\nopen': 'code(open)',
  '> a\n> > b\nc': 'quote([a] quote([b])) [c]',
  '- a\n- b\n  - c\n  - d\n- e': 'list([a] | [b] list([c] | [d]) | [e])',
  '3. a\n4. b\n\n5. c\n- d': 'list3([a] | [b] | [c]) list([d])',
  '* a\n  more\n\n  again\n\nout': 'list([a\nmore] [again]) [out]',
  'We sold\n12. in May\n- but\n': '[We sold\n12. in May] list([but])',
  '-5 degrees\n+49 30 1': '[-5 degrees\n+49 30 1]',
  '```\n```': '',
  '>': '',
};

describe('the Markdown of chat messages', () => {
  for (const [text, tree] of Object.entries(rows))
    it(`parses ${JSON.stringify(text)}`, () => expect(shown(parseMarkdown(text))).to.equal(tree));

  it('keeps all words of any text, in their order', () => {
    const parts = [...'жä *_~`[]()<>\\\n>-#1.', '**', '~~', '```\n', '](https://x.example)', '\n\n', '  ', '- ', '> '];
    const words = (text: string): string => text.replaceAll(/[^жä]/gu, '');
    let state = 1;
    const next = (most: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
    for (let round = 0; round < 2000; round += 1) {
      const text = Array.from({ length: 1 + next(40) }, () => parts[next(parts.length)]).join('');
      expect(words(parseMarkdown(text).map(textOfBlock).join('')), JSON.stringify(text)).to.equal(words(text));
    }
  });

  it('comes to an end of 4,000 marks, whatever they are', () => {
    for (const part of [
      '*',
      '**a',
      '_a_ ',
      '`',
      '``a`',
      '[',
      '[a](https://x',
      '> ',
      '- ',
      '\\',
      '~~',
      '<https://',
      '\n',
    ])
      expect(() => parseMarkdown(part.repeat(Math.floor(4000 / part.length))), part).not.to.throw();
  });
});

function textOfBlock(block: Block): string {
  if (block.kind === 'paragraph') return textOf(block.content);
  if (block.kind === 'quote') return block.content.map(textOfBlock).join('');
  return block.kind === 'list' ? block.items.flat().map(textOfBlock).join('') : block.text;
}
