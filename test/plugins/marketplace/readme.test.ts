import { expect } from 'chai';
import { pages } from '../../helpers/written-page.ts';
import { readmeHtml } from '../../../plugins/marketplace/readme.ts';

const shown = async (source: string): Promise<string> =>
  (await readmeHtml(pages, source))
    .toString()
    .trim()
    .replace(/\s*\n\s*(?=<)/g, '')
    .replace(/>\n/g, '>');

describe('the Markdown of a README', () => {
  it('shows headings below those of the page', async () => {
    expect(await shown('# One\n## Two\n#### Four')).to.equal('<h3>One</h3><h4>Two</h4><h5>Four</h5>');
  });

  it('shows paragraphs, emphasis, code and breaks', async () => {
    expect(await shown('a *b* **c** `d`\n\ne  \nf snake_case_name')).to.equal(
      '<p>a <em>b</em> <strong>c</strong> <code>d</code></p><p>e<br />f snake_case_name</p>',
    );
  });

  it('shows lists within lists, quotes and rules', async () => {
    expect(await shown('- a\n- b\n  - c\n\n1. d\n2. e\n\n> f\n\n---')).to.equal(
      '<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol><li>d</li><li>e</li></ol>' +
        '<blockquote><p>f</p></blockquote><hr />',
    );
  });

  it('shows fenced code as it is, and to the end when the fence stays open', async () => {
    expect(await shown('```html\n<b>*x*</b>\n```\nafter')).to.equal(
      '<pre tabindex="0"><code>&#60;b&#62;*x*&#60;/b&#62;</code></pre><p>after</p>',
    );
    expect(await shown('~~~\nopen')).to.equal('<pre tabindex="0"><code>open</code></pre>');
  });

  it('links to http, https and mailto, and shows a picture as a link', async () => {
    const rel = 'rel="nofollow noopener ugc"';
    expect(await shown('[a](https://example.com/x_(y)?q=1&r=2)')).to.equal(
      `<p><a href="https://example.com/x_(y)?q=1&amp;r=2" ${rel}>a</a></p>`,
    );
    expect(await shown('<mailto:a@example.com>')).to.equal(
      `<p><a href="mailto:a@example.com" ${rel}>mailto:a@example.com</a></p>`,
    );
    expect(await shown('![pic](https://example.com/p.png)')).to.equal(
      `<p><a href="https://example.com/p.png" ${rel}>pic</a></p>`,
    );
  });

  it('shows the address where a link or a picture has no words, and no link within a link', async () => {
    const rel = 'rel="nofollow noopener ugc"';
    expect(await shown('[](https://example.com/a)')).to.equal(
      `<p><a href="https://example.com/a" ${rel}>https://example.com/a</a></p>`,
    );
    expect(await shown('[![pic](https://example.com/p.png)](https://example.com/a)')).to.equal(
      `<p><a href="https://example.com/a" ${rel}>pic</a></p>`,
    );
  });

  it('shows tables without a style of their own', async () => {
    expect(await shown('|a|b|\n|-|-:|\n|1|2|')).to.equal(
      '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th class="num">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td class="num">2</td></tr></tbody></table></div>',
    );
  });

  const hostile: readonly string[] = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](https://example.com/" onclick="alert(1))',
    '[<img src=x>](https://example.com/)',
    '`<svg onload=alert(1)>`',
    '# <style>*{display:none}</style>',
    '> <iframe src=//example.com></iframe>',
    '- </ul><script>alert(1)</script>',
    '\u202etext\u202c \u0000 \ud800',
  ];
  for (const source of hostile)
    it(`is inert: ${JSON.stringify(source)}`, async () => {
      const text = await shown(source);
      const tags = [...text.matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
      for (const [whole, name = '', rest = ''] of tags) {
        expect(name, text).to.match(/^(p|a|ul|li|h3|blockquote|code)$/);
        expect(rest, whole).to.match(/^( href="https:[^"]*" rel="nofollow noopener ugc")?$/);
      }
      expect(text).not.to.match(/[\u202e\u0000\ud800]/);
    });

  it('takes linear time on what is made to be slow', async () => {
    for (const part of [
      '[',
      '*',
      '**a',
      '`',
      '> ',
      '- ',
      '[a](',
      '_a',
      '<https://',
      '![',
      '\n- a\n  ',
      '(',
      '*a_ ',
      '[a]',
      '1. ',
      'a\n-\n',
      '|-|-\n',
    ]) {
      const text = part.repeat(Math.floor(65_536 / part.length));
      expect((await shown(text)).length).to.be.greaterThan(0);
    }
  });
});
