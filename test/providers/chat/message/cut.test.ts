import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import type { Block } from '../../../../providers/chat/message/blocks.ts';
import { cut, fitted } from '../../../../providers/chat/message/cut.ts';
import { parseMarkdown } from '../../../../providers/chat/message/markdown.ts';
import { markdownText } from '../../../../providers/chat/render/markdown.ts';
import { matrixText } from '../../../../providers/chat/render/matrix.ts';
import { slackText } from '../../../../providers/chat/render/slack.ts';

const paragraph = (text: string): readonly Block[] => [{ kind: 'paragraph', content: [{ kind: 'text', text }] }];
const family = '👩‍👩‍👧‍👦';
const units = (text: string): number => text.length;

describe('a message that is too long', () => {
  it('is left alone when it fits exactly', () =>
    expect(fitted({ blocks: paragraph('12345'), overflow: 'truncate' }, limit(5))).to.deep.equal({
      rendered: '12345',
    }));

  it('is refused unless it may be cut', () => {
    const call = (): unknown => fitted({ blocks: paragraph('123456'), overflow: 'reject' }, limit(5));
    expect(call).to.throw(ProviderError, '(6 of 5)').with.property('reason', 'content_too_long');
  });

  it('is refused when nothing of it fits', () => {
    const call = (): unknown => fitted({ blocks: paragraph('123456'), overflow: 'truncate' }, limit(0));
    expect(call).to.throw(ProviderError).with.property('reason', 'content_too_long');
  });

  it('is cut between characters, and as late as possible', () => {
    const rows = [
      ['123456', 5, '1234…'],
      [`123${family}6`, 5, '123…'],
      [`123${family}67`, 4 + family.length, `123${family}…`],
      ['12e\u03015678', 4, '12…'],
      ['12e\u03015678', 5, '12e\u0301…'],
      ['🇩🇪🇦🇹🇨🇭', 9, '🇩🇪🇦🇹…'],
      ['שלום עולם', 5, 'שלום…'],
    ] as const;
    for (const [text, most, kept] of rows) {
      const { rendered, truncated } = fitted({ blocks: paragraph(text), overflow: 'truncate' }, limit(most));
      expect([rendered, truncated]).to.deep.equal([kept, true]);
      expect(rendered.isWellFormed()).to.equal(true);
    }
  });

  it('keeps its markup whole, wherever it is cut', () => {
    const blocks = parseMarkdown(
      '**bold _it_ & <x>** [link `c`](https://example.com) \n\n> q\n\n- a\n- ~~b~~\n\n```\ncode\n```',
    );
    const count = (text: string, form: RegExp): number => text.match(form)?.length ?? 0;
    const even = (text: string, marks: readonly string[]): boolean =>
      marks.every((mark) => (text.split(mark).length - 1) % 2 === 0);
    const html = (given: readonly Block[]): string => matrixText(given).formatted_body;
    const forms = [
      { render: html, isWhole: (text: string) => count(text, /<[a-z]/g) === count(text, /<\//g) },
      { render: markdownText, isWhole: (text: string) => even(text, ['**', '~~', '```']) },
      {
        render: slackText,
        isWhole: (text: string) =>
          even(text, ['```', '~']) && count(text, /<https/g) === count(text, /<https:[^|<>]+\|[^<>]+>/g),
      },
    ];
    for (const { isWhole, render } of forms) {
      const whole = render(blocks);
      const lengths = new Set<number>();
      for (let most = 1; most < whole.length; most += 1) {
        const rendered = rest(() =>
          fitted({ blocks, overflow: 'truncate' }, { render, size: units, most, vendor: 'it' }),
        );
        if (rendered === undefined) continue;
        lengths.add(rendered.length);
        expect(rendered.length).to.be.at.most(most);
        expect(rendered).to.include('…');
        expect(isWhole(rendered), rendered).to.equal(true);
      }
      expect(lengths.size).to.be.greaterThan(10);
    }
  });

  it('drops what comes after the cut, and keeps mentions before it', () => {
    const blocks: readonly Block[] = [
      { kind: 'title', text: 'abc' },
      {
        kind: 'paragraph',
        content: [
          { kind: 'mention', id: 'U1', alias: 'ada' },
          { kind: 'text', text: ' defg' },
        ],
      },
      { kind: 'code', text: 'hij' },
    ];
    expect(slackText(cut(blocks, 6))).to.equal('*abc*\n<@U1> de…');
    expect(slackText(cut(blocks, 2))).to.equal('*ab…*');
    expect(slackText(cut(blocks, 100))).to.equal('*abc*\n<@U1> defg\n```\nhij\n```');
  });
});

// What is sent; undefined when nothing fits.
function rest(fit: () => { readonly rendered: string }): string | undefined {
  try {
    return fit().rendered;
  } catch (error) {
    expect((error as ProviderError).reason).to.equal('content_too_long');
    return undefined;
  }
}

function limit(most: number) {
  const render = ([block]: readonly Block[]): string =>
    block?.kind === 'paragraph' ? block.content.map((node) => ('text' in node ? node.text : '')).join('') : '';
  return { render, size: units, most, vendor: 'it' };
}
