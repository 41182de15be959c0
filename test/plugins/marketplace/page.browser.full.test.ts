import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { browserOrSkip } from '../../helpers/browser.ts';
import type { TierEvent } from '../../../plugins/ledger/contract.ts';
import { send } from '../../helpers/http.ts';
import { contrast, over, type Rgb } from '../ledger/badge/contrast.ts';
import { startMarket, type Market } from './market.ts';

const widths = { desktop: 1280, phone: 390, 'small phone': 320 } as const;
const pages = ['/marketplace', '/marketplace?q=zzz', '/marketplace/demo.echo@1.0.0', '/marketplace/none.such@1.0.0'];

interface Painted {
  readonly text: string;
  readonly color: string;
  readonly grounds: readonly string[];
  readonly large: boolean;
}

// Runs in the page: every element with text of its own, its colour, and the grounds it stands on, nearest first.
const painted = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const box = element.getBoundingClientRect();
  if (!own || box.width === 0 || element.closest('svg, .hidden, .skip')) return [];
  const grounds = [];
  for (let at = element; at; at = at.parentElement) grounds.push(getComputedStyle(at).backgroundColor);
  const style = getComputedStyle(element);
  const size = parseFloat(style.fontSize);
  return [{
    text: element.textContent.trim().slice(0, 40),
    color: style.color,
    grounds,
    large: size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700),
  }];
})`;

// Runs in the page: what is cut off, and no key can bring into sight.
const cutOff = `[...document.querySelectorAll('main *')].flatMap((element) => {
  const { overflowX } = getComputedStyle(element);
  const hidden = overflowX === 'visible' || element.scrollWidth <= element.clientWidth + 1;
  if (hidden || element.closest('.hidden, svg') || element.tabIndex === 0) return [];
  return [element.tagName + '.' + element.className + ': ' + element.textContent.trim().slice(0, 60)];
})`;

// Runs in the page: what keys reach, in the order in which they reach it.
const focused = `(() => {
  const at = document.activeElement;
  const box = at.getBoundingClientRect();
  const style = getComputedStyle(at);
  const after = getComputedStyle(at, '::after');
  const outlined = [style, after].some((one) => one.outlineStyle !== 'none' && parseFloat(one.outlineWidth) >= 2);
  return { name: at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.textContent.trim() ?? at.id), top: box.top + scrollY, left: box.left, outlined, body: at === document.body };
})()`;

const promotion: TierEvent = {
  ...{ day: '2026-11-20', change: 'promoted', from: 'silver', to: 'gold' },
  ...{ actor: 'auto', rules: ['thresholds'] },
};

describe('the pages of the marketplace in a browser', function () {
  this.timeout(120_000);
  let market: Market;
  let browser: Browser;
  const open = async (path: string, width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      javaScriptEnabled: true,
    });
    const page = await context.newPage();
    await page.goto(market.url + path);
    return page;
  };

  before(async function () {
    browser = await browserOrSkip(this);
    market = await startMarket(['demo.long-name-that-goes-on-and-on-and-on-and-on@1.0.0']);
    const publish = (orb_id: string, listing: object = {}): Promise<unknown> =>
      send(market.url, '/marketplace/orbs/publish', { key: market.adminKey, json: { orb_id, listing } });
    const readme = `# Use\n\n\`\`\`\n${'wide '.repeat(60)}\n\`\`\`\n\n- ${'x'.repeat(300)}\n\n> quote`;
    await publish('demo.echo@1.0.0', { readme, homepage: `https://example.com/${'a'.repeat(120)}` });
    await publish('demo.long-name-that-goes-on-and-on-and-on-and-on@1.0.0', { description: 'W'.repeat(100) });
    await publish('notify.email@1.0.0');
    market.ledger.set('demo.echo@1.0.0', { score: 91, tier: 'gold', limited_by: 'reliability' });
    market.ledger.set('notify.email@1.0.0', { score: 55, suspended: true, status: 'suspended' });
    market.ledger.certify('demo.echo@1.0.0', {
      certificate_id: 'crt_01M7ZA60H09636ZBVM1G4J2CZ0',
      tier: 'gold',
      status: 'valid',
      issued_at: '2026-11-20T00:00:00.000Z',
      expires_at: '2026-12-20T00:00:00.000Z',
    });
    market.ledger.events('demo.echo@1.0.0', [promotion]);
    market.ledger.snapshot('2026-11-20');
  });
  after(async () => {
    await browser?.close();
    await market?.stop();
  });

  for (const [device, width] of Object.entries(widths))
    it(`fit a ${device} without scrolling sideways`, async () => {
      for (const path of pages) {
        const page = await open(path, width);
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        expect(wide, path).to.equal(0);
        expect(await page.evaluate(cutOff), path).to.deep.equal([]);
        await page.context().close();
      }
    });

  for (const scheme of ['light', 'dark'] as const)
    it(`have a contrast of at least 4.5:1 for every text (3:1 when large) in the ${scheme} scheme`, async () => {
      for (const path of pages) {
        const page = await open(`${path}${path.includes('echo') ? '?verify=1' : ''}`, widths.desktop, scheme);
        const texts = await page.evaluate<readonly Painted[]>(painted);
        expect(texts.length).to.be.greaterThan(8);
        for (const { text, color, grounds, large } of texts) {
          const ground = groundOf(grounds);
          expect(contrast(rgba(color).rgb, ground), `${path}: ${text}`).to.be.at.least(large ? 3 : 4.5);
        }
        await page.context().close();
      }
    });

  it('are walked by keyboard from top to bottom, and show where one is', async () => {
    for (const path of ['/marketplace', '/marketplace/demo.echo@1.0.0']) {
      const page = await open(path, widths.phone);
      const seen: { name: string; top: number; left: number; outlined: boolean; body: boolean }[] = [];
      for (let step = 0; step < 80; step++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate<(typeof seen)[number]>(focused);
        if (at.body) break;
        seen.push(at);
      }
      expect(seen[0]?.name, path).to.include('Skip to content');
      expect(seen.length).to.be.greaterThan(8);
      for (const { name, outlined } of seen) expect(outlined, `${path}: ${name}`).to.equal(true);
      const below = seen.slice(1).filter(({ top }, index) => top + 60 < (seen[index]?.top ?? 0));
      expect(
        below.map(({ name }) => name),
        path,
      ).to.deep.equal([]);
      await page.context().close();
    }
  });

  it('have one h1, landmarks, no heading level left out, and a name for every control', async () => {
    for (const path of pages) {
      const page = await open(path, widths.desktop);
      const levels = await page.evaluate<readonly number[]>(
        `[...document.querySelectorAll('h1,h2,h3,h4,h5')].filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]))`,
      );
      expect(
        levels.filter((level) => level === 1),
        path,
      ).to.have.lengthOf(1);
      levels.forEach((level, index) => expect(level - (levels[index - 1] ?? 0), path).to.be.at.most(1));
      const tree = await page.locator('body').ariaSnapshot();
      for (const landmark of ['banner', 'main', 'contentinfo', 'navigation "Site"']) expect(tree).to.include(landmark);
      expect(tree, path).not.to.match(/^\s*- (link|button|textbox|searchbox|combobox|img)( \[.*\])?:?$/m);
      await page.context().close();
    }
  });

  it('work without a script: search, filter, open, verify', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, javaScriptEnabled: false });
    const page = await context.newPage();
    const blocked: string[] = [];
    page.on('console', (message) => void (/Content Security/.test(message.text()) && blocked.push(message.text())));
    await page.goto(`${market.url}/marketplace`);
    await page.getByRole('searchbox').fill('demo.echo');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 Orb for' }).waitFor();
    await page.getByRole('link', { name: /^Gold/ }).click();
    await page.getByRole('link', { name: 'Echo', exact: true }).click();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Every check passed.').waitFor();
    expect(page.url()).to.match(/\?verify=1#certificate$/);
    expect(blocked).to.deep.equal([]);
    await context.close();
  });
});

function rgba(text: string): { readonly rgb: Rgb; readonly alpha: number } {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return { rgb: [red, green, blue], alpha };
}

function groundOf(grounds: readonly string[]): Rgb {
  const layers = grounds.map(rgba).filter(({ alpha }) => alpha > 0);
  return layers.reduceRight<Rgb>((below, { rgb, alpha }) => over(rgb, alpha, below), [255, 255, 255]);
}
