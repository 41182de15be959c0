import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { browserOrSkip } from '../../helpers/browser.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const widths = { desktop: 1280, phone: 360 } as const;

// In full: axe looks at every page. They come from one renderer, and axe costs most of the time.
const everyNth = process.env['DOCS_SOAK'] === '1' ? 1 : 5;

/** One page of each kind. */
const kinds = [
  '/docs',
  '/docs/search?q=receipt',
  '/docs/search?q=xyzzyx',
  '/docs/nothing',
  '/docs/api',
  '/docs/api/executeOrb',
];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe('the documentation in a browser', function () {
  this.timeout(300_000);
  let platform: TestPlatform;
  let browser: Browser;
  let pages: readonly string[];
  /** Those that axe looks at. */
  let looked: ReadonlySet<string>;
  const open = async (colorScheme: 'light' | 'dark', width: number): Promise<Page> =>
    (await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true })).newPage();
  // A stranger who reads every page at once is held up.
  const visit = async (page: Page, path: string): Promise<void> => {
    while ((await page.goto(platform.url + path))?.status() === 429);
  };
  const faultsOf = async (page: Page): Promise<readonly string[]> => {
    await page.evaluate(axe);
    const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
      `axe.run({ resultTypes: ['violations'] })`,
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };

  before(async function () {
    browser = await browserOrSkip(this);
    platform = await startPlatform();
    const index = await platform.call('GET', '/docs', undefined, null);
    const links = [...String(index.body).matchAll(/<li><a href="(\/docs\/[^"#]+)"/g)].map(([, path = '']) => path);
    pages = [...new Set([...kinds, ...links, '/docs/providers/email-smtp'])];
    looked = new Set([...kinds, ...pages.filter((_, at) => at % everyNth === 0)]);
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('has nothing that axe finds fault with, and fits desktop and phone without scrolling sideways', async () => {
    expect(pages.length).to.be.greaterThan(10);
    const page = await open('light', widths.desktop);
    for (const path of pages) {
      await visit(page, path);
      if (looked.has(path)) expect(await faultsOf(page), path).to.deep.equal([]);
      for (const width of [widths.phone, widths.desktop]) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        expect(wide, `${path} at ${width}`).to.equal(0);
      }
    }
    await page.context().close();
  });

  it('has nothing that axe finds fault with in the dark scheme on a phone, its menu open', async () => {
    const page = await open('dark', widths.phone);
    for (const path of kinds) {
      await visit(page, path);
      await page.getByText('All pages').click();
      expect(await faultsOf(page), path).to.deep.equal([]);
    }
    await page.context().close();
  });

  it('tries a route with a typed key, which it keeps nowhere, and shows examples to copy', async () => {
    const page = await open('light', widths.desktop);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    await page.goto(`${platform.url}/docs/api/executeOrb`);
    const key = await platform.key({ scopes: ['orbs:execute'], mode: 'test' });
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText(/^200 OK/).waitFor();
    expect(await page.locator('#try-answer pre').textContent()).to.include('"text": "hello"');
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).to.deep.equal([
      0,
      0,
      '',
    ]);
    await page.getByLabel('Body (JSON)').fill('{"broken');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^400 Bad Request/).waitFor();
    expect(faults.filter((fault) => !/400 \(Bad Request\)/.test(fault))).to.deep.equal([]);
    for (const language of ['TypeScript', 'Python']) {
      await page.getByText(language, { exact: true }).click();
      await page.getByRole('region', { name: `example in ${language}` }).waitFor();
    }
    expect(await faultsOf(page)).to.deep.equal([]);
    await page.context().close();
  });

  it('is searched and read without a script, and its policy blocks nothing of it', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, javaScriptEnabled: false });
    const page = await context.newPage();
    const blocked: string[] = [];
    page.on('console', (message) => void (/Content Security/.test(message.text()) && blocked.push(message.text())));
    await page.goto(`${platform.url}/docs`);
    await page.getByRole('searchbox').fill('orbs:execute');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Scopes', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Scopes' }).waitFor();
    await page.getByRole('link', { name: 'POST /orbisets/{id}/execute' }).click();
    await page.getByRole('heading', { name: 'POST /orbisets/{id}/execute' }).waitFor();
    expect(blocked).to.deep.equal([]);
    await context.close();
  });
});
