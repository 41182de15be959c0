import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pages } from '../../helpers/written-page.ts';
import { version } from '../../../kernel/tools/version.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const folder = new URL('../../../plugins/docs/pages/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));

describe('the documentation', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const page = async (path: string): Promise<{ status: number; headers: Headers; text: string }> => {
    const { status, headers, body } = await platform.call('GET', path, undefined, null);
    // A fast machine asks more often than one address may.
    if (status === 429) {
      await pause(1000 * Number(headers.get('retry-after')));
      return page(path);
    }
    return { status, headers, text: String(body) };
  };

  it('serves every file of its folder, with the version of the program and no script but that of its copy buttons', async () => {
    expect(files.length).to.be.greaterThan(6);
    for (const file of files) {
      const path = file === 'index.md' ? '/docs' : `/docs/${file.slice(0, -3)}`;
      const { status, headers, text } = await page(path);
      expect(status, path).to.equal(200);
      expect(headers.get('content-security-policy'), path).to.match(/^default-src 'none'; style-src 'sha256-/);
      expect(text, path).to.include(`Version ${version}`);
      expect(text.replace(`<script>${pages.copyScript}</script>`, ''), path).not.to.match(
        /<script|\sstyle="|(?:<|&#60;)!-- (generated|end)/,
      );
      expect(text.includes('<script>'), path).to.equal(text.includes('data-copy='));
      expect(text, path).to.include('color-scheme" content="light dark"');
    }
  });

  it('lists every page in the index once, but for the index, and marks the one that is shown', async () => {
    const { text } = await page('/docs/reference/scopes');
    const navigation = /<nav class="docs-nav"[^]*?<\/nav>/.exec(text)?.[0] ?? '';
    const links = [...navigation.matchAll(/href="\/docs\/([^"]+)"/g)].map(([, path]) => `${path}.md`);
    expect(links).to.have.members(files.filter((file) => file !== 'index.md'));
    expect(navigation).to.match(/href="\/docs\/reference\/scopes"\s+aria-current="page"/);
    expect((await page('/docs/api/getRun')).text).to.match(/href="\/docs\/reference\/api"\s+aria-current="true"/);
  });

  it('leads from each page to the next one of the navigation', async () => {
    const navigation = /<nav class="docs-nav"[^]*?<\/nav>/.exec((await page('/docs')).text)?.[0] ?? '';
    const order = [...navigation.matchAll(/<li><a href="(\/docs\/[^"#]+)"/g)].map(([, path = '']) => path);
    let path: string | undefined = '/docs';
    const seen: string[] = [];
    while (path !== undefined) {
      path = /<a rel="next" href="([^"]+)"/.exec((await page(path)).text)?.[1];
      if (path !== undefined) seen.push(path);
    }
    expect(seen).to.deep.equal(order);
  });

  it('answers a page with 404 where there is none', async () => {
    for (const path of ['/docs/nothing', '/docs/a/b', '/docs/..%2F..%2Fpackage', '/docs/%3Cb%3E']) {
      const { status, text } = await page(path);
      expect(status, path).to.equal(404);
      expect(text, path).to.include('Page not found');
      expect(text, path).not.to.include('<b>');
    }
  });

  it('finds what holds all words, in pages and in what is made from the program', async () => {
    const { text } = await page('/docs/search?q=receipts+VERIFY');
    expect(text).to.include('href="/docs/reference/cli#orb-receipts-verify"');
    expect(text).to.include('value="receipts VERIFY"');
    expect((await page('/docs/search?q=smtp')).text).to.include('href="/docs/providers/email-smtp"');
    expect((await page('/docs/search?q=ExecuteOrb+orbisets')).status).to.equal(200);
    expect((await page('/docs/search?q=orbisets+execute')).text).to.include('href="/docs/api/executeOrb');
  });

  it('says what to do when a search finds nothing, or nothing was asked', async () => {
    expect((await page('/docs/search?q=receipts+xyzzyx')).text).to.include('No results for “receipts xyzzyx”');
    const empty = await page('/docs/search');
    expect(empty.status).to.equal(200);
    expect(empty.text).to.include('Type one or more words above');
  });

  it('shows hostile words as text', async () => {
    const { text } = await page(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text).not.to.match(/<script|"><script/);
    expect(text).to.include('&#60;script&#62;');
  });
});
