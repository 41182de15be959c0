import { expect } from 'chai';
import { escapeHtml, html, trusted } from '../../../../kernel/tools/text/html.ts';

describe('html', () => {
  it('escapes every value, in texts and in attributes', () => {
    const hostile = `<b a="1" c='2'>&\``;
    expect(html`<p title="${hostile}">${hostile}</p>`.toString()).to.equal(
      '<p title="&#60;b a=&#34;1&#34; c=&#39;2&#39;&#62;&#38;&#96;">&#60;b a=&#34;1&#34; c=&#39;2&#39;&#62;&#38;&#96;</p>',
    );
  });

  it('takes pieces of a page as they are, and lists of them', () => {
    const items = ['a', '<'].map((item) => html`<i>${item}</i>`);
    expect(html`<p>${items}${['x', 1]}</p>`.toString()).to.equal('<p><i>a</i><i>&#60;</i>x1</p>');
  });

  it('shows nothing for nothing, and nought for nought', () => {
    expect(html`[${undefined}${false}${0}]`.toString()).to.equal('[0]');
  });

  it('takes out what is invisible and turns or hides text', () => {
    expect(escapeHtml('a\u0000b\u001bc\u202ed\u2066e\u200ff\ud800g\ufeffh\ti\nj')).to.equal('abcdefgh\ti\nj');
    expect(escapeHtml('😀é漢')).to.equal('😀é漢');
  });

  it('trusts nothing that merely looks like a piece of a page', () => {
    const forged = { toString: () => '<script>' } as unknown as string;
    expect(() => html`${forged}`.toString()).to.throw();
    expect(trusted('<b>').toString()).to.equal('<b>');
  });
});
