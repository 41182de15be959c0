import { expect } from 'chai';
import { defineRoute } from '../../../../kernel/http/route.ts';
import { escapeHtml, html, trusted } from '../../../../kernel/http/html/html.ts';
import { bareFrame, sectionsOf } from '../../../../kernel/http/html/frame.ts';
import { UnframedPage, webPage } from '../../../../kernel/http/html/web-page.ts';

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

describe('a page', () => {
  const page = webPage({
    title: '<T>',
    description: '"D"',
    section: '/here',
    main: html`<h1>x</h1>`,
    style: '.x{color:red}',
  });
  const sections = [
    { path: '/foot', href: '/foot', name: 'Why', position: 1, foot: 'A < B.' },
    { path: '/a', href: '/a', name: 'A & B', position: 2 },
    { path: '/here', href: '/here', name: 'Here', position: 3 },
  ];
  const body = page.body instanceof UnframedPage ? page.body.framed({ ...bareFrame, sections }).body.toString() : '';
  const policy = page.headers?.['Content-Security-Policy'] ?? '';

  it('allows its own stylesheet by hash, and no script, frame or base', async () => {
    const style = /<style>([^]*?)<\/style>/.exec(body)?.[1] ?? '';
    expect(style).to.match(/\.x\{color:red\}$/);
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64');
    expect(policy.split('; ')).to.deep.equal([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "img-src 'self' data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  it('escapes title and description', () => {
    expect(body).to.include('<title>&#60;T&#62; · Agent Orb Platform</title>').and.include('content="&#34;D&#34;"');
  });

  it('leads to the sections, once for each width, its own marked, home to the start page, to others in its foot', () => {
    const links = body.replace(/\s+/g, ' ').match(/<li>.*?<\/li>/g);
    const once = ['<li><a href="/a" >A &#38; B</a></li>', '<li><a href="/here" aria-current="page">Here</a></li>'];
    expect(links).to.deep.equal([...once, ...once]);
    expect(body).to.include('<a class="brand" href="/">');
    expect(body.replace(/\s+/g, ' ')).to.include('<p>A &#60; B.</p> <p><a href="/foot">Why</a></p>');
  });

  it('is text of its own too, which leads nowhere', () => {
    expect(String(page.body))
      .to.include('<h1>x</h1>')
      .and.not.match(/<li>|href="\/a"/);
  });

  it('has sections by the position that routes give', () => {
    const common = { method: 'GET', service: 'shared', public: true, summary: 's', problems: [] } as const;
    const route = (path: string, navigation?: { name: string; position: number }) =>
      defineRoute({ ...common, path, handle: () => undefined, ...(navigation === undefined ? {} : { navigation }) });
    const routes = [route('/b', { name: 'B', position: 2 }), route('/none'), route('/a', { name: 'A', position: 1 })];
    expect(sectionsOf(routes).map(({ path, name }) => [path, name])).to.deep.equal([
      ['/a', 'A'],
      ['/b', 'B'],
    ]);
  });

  it('has one main landmark, a way to skip to it, and its language', () => {
    expect(body.match(/<main/g)).to.have.lengthOf(1);
    expect(body)
      .to.match(/<html lang="en">/)
      .and.match(/<a class="skip" href="#main">/);
    expect(body.indexOf('class="skip"')).to.be.lessThan(body.indexOf('<header'));
  });
});
