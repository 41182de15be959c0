import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { browserOrSkip } from '../../helpers/browser.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// Every page that a stranger can open without a key, and the status of its answer.
const pages: Readonly<Record<string, number>> = {
  '/': 200,
  '/nowhere': 404,
  '/problems/rate_limited': 200,
  '/marketplace': 200,
  '/marketplace/demo.echo%401.0.0': 200,
  '/marketplace/none.such%401.0.0': 404,
  '/verify': 200,
  '/verify?by=id': 200,
  '/status.html': 200,
  '/status/history.html': 200,
  '/status/formula': 200,
  '/docs/api': 200,
  '/docs/api/executeOrb': 200,
};

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe('the public pages in a browser', function () {
  this.timeout(180_000);
  let platform: TestPlatform;
  let browser: Browser;
  before(async function () {
    browser = await browserOrSkip(this);
    platform = await startPlatform({ platform: { site: { name: 'Acme Orbs', accent: '#ffe000' } } });
    await platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'demo.echo@1.0.0' });
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const open = async (width: number, colorScheme: 'light' | 'dark', faults: string[]): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    page.on(
      'request',
      (request) => void (new URL(request.url()).origin !== platform.url && faults.push(request.url())),
    );
    return page;
  };

  for (const [width, scheme] of [
    [1280, 'light'],
    [390, 'dark'],
    [320, 'light'],
    [1280, 'dark'],
  ] as const)
    it(`fit ${width} px in the ${scheme} scheme, without a fault of axe, of a script, of a policy, or a foreign request`, async () => {
      const faults: string[] = [];
      const page = await open(width, scheme, faults);
      for (const [path, status] of Object.entries(pages)) {
        const answer = await page.goto(platform.url + path);
        expect(answer?.status(), path).to.equal(status);
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        expect(wide, path).to.equal(0);
        await page.evaluate(axe);
        // Of what axe looks at, the dark scheme changes the colours alone.
        const rules = scheme === 'dark' ? `, runOnly: ['color-contrast']` : '';
        const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
          `axe.run({ resultTypes: ['violations']${rules} })`,
        );
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        expect(found, path).to.deep.equal([]);
      }
      expect(faults.filter((fault) => !/status of 404/.test(fault))).to.deep.equal([]);
      await page.context().close();
    });

  it('lead on by keyboard alone: past the menu, through the menu of a phone, and to a copied text', async () => {
    const faults: string[] = [];
    const page = await open(390, 'light', faults);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: platform.url });
    await page.goto(`${platform.url}/`);
    expect(await page.title()).to.equal('Welcome · Acme Orbs');
    await page.getByText('Menu').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Marketplace' }).waitFor();
    await page.getByRole('link', { name: 'Echo', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Copy request with curl' }).press('Enter');
    await page.getByRole('button', { name: 'Copied request with curl' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()'))
      .to.include('curl ')
      .and.include('demo.echo@1.0.0');
    expect(faults).to.deep.equal([]);
    await page.context().close();
  });
});
