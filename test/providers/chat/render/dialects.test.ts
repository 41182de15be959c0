import { expect } from 'chai';
import type { Block } from '../../../../providers/chat/message/blocks.ts';
import { prepared } from '../../../../providers/chat/message/message.ts';
import { cardOf } from '../../../../providers/chat/render/card.ts';
import { discordText, markdownText } from '../../../../providers/chat/render/markdown.ts';
import { matrixText } from '../../../../providers/chat/render/matrix.ts';
import { plain } from '../../../../providers/chat/render/plain.ts';
import { slackText } from '../../../../providers/chat/render/slack.ts';
import { telegramText } from '../../../../providers/chat/render/telegram.ts';

const blocksOf = (text: string, format = 'markdown', more: object = {}): readonly Block[] =>
  prepared({ channel: 'c', text, format, ...more }, { channels: { c: 'C' } }).blocks;

// What each dialect makes of a Markdown text. `\u2060` keeps @ from notifying.
interface Row {
  readonly text: string;
  readonly slack: string;
  readonly markdown: string;
  readonly discord?: string;
  readonly plain: string;
  readonly html: string;
}

const rows: readonly Row[] = [
  {
    text: '**b** *i* ~~s~~ `c`',
    slack: '*b* _i_ ~s~ `c`',
    markdown: '**b** *i* ~~s~~ `c`',
    plain: 'b i s c',
    html: '<p><strong>b</strong> <em>i</em> <del>s</del> <code>c</code></p>',
  },
  {
    text: '[a & b](https://example.com/?x=1&y=2)',
    slack: '<https://example.com/?x=1&amp;y=2|a &amp; b>',
    markdown: '[a & b](https://example.com/?x=1&y=2)',
    plain: 'a & b (https://example.com/?x=1&y=2)',
    html: '<p><a href="https://example.com/?x=1&amp;y=2">a &amp; b</a></p>',
  },
  {
    text: '<https://example.com/a|b>',
    slack: '<https://example.com/a%7Cb|https://example.com/a|b>',
    markdown: '[https://example.com/a\\|b](https://example.com/a|b)',
    plain: 'https://example.com/a|b',
    html: '<p><a href="https://example.com/a|b">https://example.com/a|b</a></p>',
  },
  {
    text: 'one\ntwo\n\nthree',
    slack: 'one\ntwo\n\nthree',
    markdown: 'one\ntwo\n\nthree',
    plain: 'one\ntwo\n\nthree',
    html: '<p>one<br/>two</p><p>three</p>',
  },
  {
    text: 'do:\n- a\n  - b\n- c\n\n9. x\n10. y',
    slack: 'do:\n• a\n  • b\n• c\n\n9. x\n10. y',
    markdown: 'do:\n- a\n  - b\n- c\n\n9. x\n10. y',
    plain: 'do:\n• a\n  • b\n• c\n\n9. x\n10. y',
    html: '<p>do:</p><ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start="9"><li>x</li><li>y</li></ol>',
  },
  {
    text: '> a\n> b\n\nc',
    slack: '> a\n> b\n\nc',
    markdown: '> a\n> b\n\nc',
    plain: '> a\n> b\n\nc',
    html: '<blockquote><p>a<br/>b</p></blockquote><p>c</p>',
  },
  {
    text: '```sh\na <b> && `c`\n```',
    slack: '```\na &lt;b&gt; &amp;&amp; `c`\n```',
    markdown: '```sh\na <b> && `c`\n```',
    plain: 'a <b> && `c`',
    html: '<pre><code class="language-sh">a &lt;b&gt; &amp;&amp; `c`</code></pre>',
  },
  {
    text: '````\n```\n````',
    slack: '```',
    markdown: '\\`\\`\\`',
    plain: '```',
    html: '<pre><code>```</code></pre>',
  },
  {
    text: '# h\n\n\\> q\n\n1\\. n\n\n|t|',
    slack: '# h\n\n&gt; q\n\n1. n\n\n|t|',
    markdown: '\\# h\n\n\\> q\n\n1\\. n\n\n\\|t\\|',
    plain: '# h\n\n> q\n\n1. n\n\n|t|',
    html: '<p># h</p><p>&gt; q</p><p>1. n</p><p>|t|</p>',
  },
  {
    text: '@everyone <!channel> <@U012AB3CD> @room `@here` me@example.com &lt;!here>',
    slack: '@everyone &lt;!channel&gt; &lt;@U012AB3CD&gt; @room `@here` me@example.com &amp;lt;!here&gt;',
    markdown:
      '@\u2060everyone \\<!channel\\> \\<@\u2060U012AB3CD\\> @\u2060room `@\u2060here` me@example.com \\&lt;!here\\>',
    discord: '@everyone \\<!channel\\> \\<@U012AB3CD\\> @room `@here` me@example.com \\&lt;!here\\>',
    plain: '@\u2060everyone <!channel> <@\u2060U012AB3CD> @\u2060room @\u2060here me@example.com &lt;!here>',
    html: '<p>@everyone &lt;!channel&gt; &lt;@U012AB3CD&gt; @room <code>@here</code> me@example.com &amp;lt;!here&gt;</p>',
  },
  {
    text: 'https://example.com/@ada, [x](https://example.com/@(all))',
    slack: 'https://example.com/@ada, <https://example.com/@(all)|x>',
    markdown: 'https://example.com/%40ada, [x](https://example.com/@%28all%29)',
    discord: 'https://example.com/@ada, [x](https://example.com/@%28all%29)',
    plain: 'https://example.com/%40ada, x (https://example.com/@(all))',
    html: '<p>https://example.com/@ada, <a href="https://example.com/@(all)">x</a></p>',
  },
  {
    text: 'שלום \u202eabc\u202c\u200b👩‍👩‍👧‍👦',
    slack: 'שלום \u202eabc\u202c\u200b👩‍👩‍👧‍👦',
    markdown: 'שלום \u202eabc\u202c\u200b👩‍👩‍👧‍👦',
    plain: 'שלום \u202eabc\u202c\u200b👩‍👩‍👧‍👦',
    html: '<p>שלום \u202eabc\u202c\u200b👩‍👩‍👧‍👦</p>',
  },
];

describe('the dialects of chat messages', () => {
  for (const row of rows)
    it(`write ${JSON.stringify(row.text)}`, () => {
      const blocks = blocksOf(row.text);
      expect(slackText(blocks), 'slack').to.equal(row.slack);
      expect(markdownText(blocks), 'markdown').to.equal(row.markdown);
      expect(discordText(blocks), 'discord').to.equal(row.discord ?? row.markdown);
      expect(plain(blocks), 'plain').to.equal(row.plain);
      expect(matrixText(blocks)).to.deep.equal({ body: row.plain, formatted_body: row.html });
    });

  it('write mentions in the form of the vendor', () => {
    const text = (render: (blocks: readonly Block[]) => unknown, ...mentions: string[]): unknown =>
      render(blocksOf('x', 'plain', { mentions }));
    expect(text(slackText, 'U1', 'W2', 'S3', 'here')).to.equal('<@U1> <@W2> <!subteam^S3> <!here> x');
    expect(text(discordText, '12', '&34', 'everyone')).to.equal('<@12> <@&34> @everyone x');
    expect(text(markdownText, '@ada', '@channel')).to.equal('@ada @channel x');
    expect(text(matrixText, '@ada:example.org', '@room')).to.deep.equal({
      body: '@ada:example.org @room x',
      formatted_body: '<p><a href="https://matrix.to/#/%40ada%3Aexample.org">@ada:example.org</a> @room x</p>',
    });
    expect(text(telegramText, '@ada', '77')).to.deep.equal({
      text: '@ada 77 x',
      entities: [{ type: 'text_mention', offset: 5, length: 2, user: { id: 77, is_bot: false, first_name: '77' } }],
    });
  });

  it('write a plain text for Slack without marks of its own', () => {
    const blocks = blocksOf('a *b* <c>', 'plain', { title: 'T' });
    expect(slackText(blocks, false)).to.equal('T\na *b* &lt;c&gt;');
    expect(slackText(blocks)).to.equal('*T*\na *b* &lt;c&gt;');
  });

  it('count entities of Telegram in UTF-16 code units', () => {
    const blocks = blocksOf(
      '👍 **a *b*** `c` [d](https://x.example)\n\n> q **r**\n> s\n\n```js\none\n\ntwo\n```\n@all',
      'markdown',
      {
        title: 'T',
      },
    );
    const { entities, text } = telegramText(blocks);
    expect(text).to.equal('T\n👍 a b c d\nq r\ns\n\none\n\ntwo\n\n@\u2060all');
    expect(entities.map(({ length, offset, type }) => [type, text.slice(offset, offset + length)])).to.deep.equal([
      ['bold', 'T'],
      ['bold', 'a '],
      ['bold', 'b'],
      ['italic', 'b'],
      ['code', 'c'],
      ['text_link', 'd'],
      ['bold', 'r'],
      ['blockquote', 'q r\ns'],
      ['pre', 'one\n\ntwo'],
    ]);
    expect(entities.find(({ type }) => type === 'pre')).to.include({ language: 'js' });
    expect(entities.find(({ type }) => type === 'text_link')).to.include({ url: 'https://x.example' });
  });

  it('write a card whose text is no Markdown', () => {
    const blocks = blocksOf('**a** <at>all</at> [l](https://x.example)\n\n> q\n> r\n\n`c`', 'markdown', {
      title: 'T_*_',
      mentions: ['ada'],
    });
    expect(cardOf(blocks)).to.deep.equal({
      body: [
        { type: 'TextBlock', text: '<at>ada</at>', wrap: true },
        { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'T_*_', weight: 'Bolder' }] },
        {
          type: 'RichTextBlock',
          spacing: 'None',
          inlines: [
            { type: 'TextRun', text: 'a', weight: 'Bolder' },
            { type: 'TextRun', text: ' <at>all</at> ' },
            { type: 'TextRun', text: 'l', selectAction: { type: 'Action.OpenUrl', url: 'https://x.example' } },
          ],
        },
        {
          type: 'Container',
          style: 'emphasis',
          items: [
            { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'q' }] },
            { type: 'RichTextBlock', spacing: 'None', inlines: [{ type: 'TextRun', text: 'r' }] },
          ],
        },
        { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'c', fontType: 'Monospace' }] },
      ],
      entities: [{ type: 'mention', text: '<at>ada</at>', mentioned: { id: 'ada', name: 'ada' } }],
    });
  });
});
