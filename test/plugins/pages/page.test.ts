import { expect } from 'chai';
import { html } from '../../../kernel/index.ts';
import { pages, written } from '../../helpers/written-page.ts';

describe('a page', () => {
  const page = pages.page({
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
  const answer = written(page, sections);
  const body = String(answer.body);
  const policy = answer.headers?.['Content-Security-Policy'] ?? '';

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

  it('leads nowhere without sections', () => {
    expect(String(written(page).body))
      .to.include('<h1>x</h1>')
      .and.not.match(/<li>|href="\/a"/);
  });

  it('has one main landmark, a way to skip to it, and its language', () => {
    expect(body.match(/<main/g)).to.have.lengthOf(1);
    expect(body)
      .to.match(/<html lang="en">/)
      .and.match(/<a class="skip" href="#main">/);
    expect(body.indexOf('class="skip"')).to.be.lessThan(body.indexOf('<header'));
  });
});
