import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { browserOrSkip } from '../../helpers/browser.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { contrast, over, type Rgb } from '../ledger/badge/contrast.ts';
import { lateClock } from '../ingestion/home.ts';
import { until } from '../../helpers/until.ts';

// Runs in the page: each text with its colour and the grounds it stands on, nearest first.
const painted = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  if (!own || !element.checkVisibility() || element.closest('svg, .hidden, .skip')) return [];
  const grounds = [];
  for (let at = element; at; at = at.parentElement) grounds.push(getComputedStyle(at).backgroundColor);
  return [{ text: element.textContent.trim().slice(0, 40), color: getComputedStyle(element).color, grounds }];
})`;

describe('/status.html', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  let browser: Browser;
  let incident: string;
  const opened: Page[] = [];
  const open = async (width: number, colorScheme: 'light' | 'dark' = 'light', script = true): Promise<Page> => {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: script });
    const page = await context.newPage();
    opened.push(page);
    await page.goto(`${platform.url}/status.html`);
    return page;
  };

  before(async function () {
    browser = await browserOrSkip(this);
    // Noon: the days of the page are then told apart from one another.
    const clock = lateClock();
    platform = await startPlatform({ clock });
    const post = (path: string, body: object) => platform.call('POST', path, body);
    const scope = [{ kind: 'component', id: 'ingestion' }];
    incident = (await post('/incidents', { title: 'x', severity: 'high', scope })).body.incident_id;
    const text = `<b>bold</b> ${'long'.repeat(60)}`;
    await post(`/incidents/${incident}/notes`, { text, public: true, phase: 'identified' });
    const over = await post('/incidents', {
      title: 'x',
      severity: 'warning',
      scope: [{ kind: 'component', id: 'runtime' }],
    });
    await post(`/incidents/${over.body.incident_id}/resolve`, { reason: 'mended' });
    const at = (hours: number): string => new Date(clock.now() + hours * 3_600_000).toISOString();
    await post('/maintenance', { title: 'A new disk', scope, starts_at: at(1), ends_at: at(2) });
    await until(
      async () => String((await platform.call('GET', '/status.html', undefined, null)).body),
      (page) => page.includes('A new disk') && page.includes('bold'),
    );
  });
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close();
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('says in words how everything is, to whoever reads it aloud', async () => {
    const tree = await (await open(1280)).locator('main').ariaSnapshot();
    for (const words of [
      'heading "Status" [level=1]',
      'Some services are not available',
      'link "uptime since 2026-11-21: how it is calculated"',
      'heading "Ingestion: partial outage" [level=3]',
      'heading "Runtime" [level=3]',
      'img "Ingestion, last 30 days: 1 partial outage, 29 no data"',
      'group: Day by day of Ingestion',
      'heading "A new disk" [level=3]',
      'heading "Runtime: degraded performance" [level=3]',
    ])
      expect(tree).to.include(words);
    expect(tree).not.to.match(/^\s*- (link|button|img)( \[.*\])?:?$/m);
  });

  it('needs no script, breaks no rule of its own policy, and shows the days as a table', async () => {
    const page = await open(1280, 'light', false);
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(message.text()));
    await page.reload();
    await page.locator('main summary').last().click();
    const table = page.getByRole('table');
    expect(await table.getByRole('row').count()).to.equal(31);
    expect(await table.getByRole('row').nth(1).innerText()).to.match(/Partial outage\s+\d+(\.\d+)? %$/);
    expect(await table.getByRole('row').nth(2).innerText()).to.match(/No data\s+–$/);
    await page.getByRole('link', { name: /how it is calculated/ }).click();
    expect(new URL(page.url()).pathname).to.equal('/status/formula');
    expect(blocked).to.deep.equal([]);
  });

  it('follows the status by itself: a change is shown without a reload by hand, with the title of an operator', async () => {
    const page = await open(1280);
    await page.getByText(/^Live\. Checked at/).waitFor();
    const made = await platform.call('POST', '/incidents', {
      title: 'x',
      severity: 'warning',
      scope: [{ kind: 'component', id: 'runtime' }],
    });
    const text = '# Mail is <i>late</i>\nWe are looking into it.';
    await platform.call('POST', `/incidents/${made.body.incident_id}/notes`, { text, public: true });
    await until(
      async () => JSON.stringify((await platform.call('GET', '/status', undefined, null)).body),
      (body) => body.includes('Mail is <i>late</i>'),
    );
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('heading', { name: 'Mail is <i>late</i>' }).waitFor();
    expect(await page.getByText('We are looking into it.').count()).to.equal(1);
    await platform.call('POST', `/incidents/${made.body.incident_id}/resolve`, { reason: 'mended' });
    const feed = String((await platform.call('GET', '/status/feed.atom', undefined, null)).body);
    expect(feed).to.match(/^<\?xml version="1.0" encoding="utf-8"\?>\s*<feed xmlns/);
    expect(feed).to.include('<title>Mail is &#60;i&#62;late&#60;/i&#62;</title>');
    const parsed = `new DOMParser().parseFromString(${JSON.stringify(feed)}, 'application/xml')`;
    const blank = await browser.newPage();
    expect(await blank.evaluate(`${parsed}.querySelectorAll('entry > updated').length`)).to.be.greaterThan(2);
    await blank.close();
    await page.goto(`${platform.url}/status/history.html`);
    expect(await page.getByRole('heading', { name: 'Mail is <i>late</i>' }).count()).to.equal(1);
    expect(await page.getByRole('img').first().getAttribute('aria-label')).to.include('last 90 days');
  });

  it('shows the time of its reader beside UTC', async () => {
    const context = await browser.newContext({ timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
    const page = await context.newPage();
    opened.push(page);
    await page.goto(`${platform.url}/status.html`);
    expect(await page.locator('.foot-note time').textContent()).to.match(/ \d\d:\d\d UTC \(.*\d\d:\d\d your time\)$/);
  });

  it('shows what an operator wrote as text, and links lead to their incident', async () => {
    const page = await open(1280);
    expect(await page.locator('b').count()).to.equal(0);
    await page.goto(`${platform.url}/status.html#${incident}`);
    expect(await page.locator(':target').innerText()).to.include('<b>bold</b>');
  });

  for (const [device, width] of [
    ['desktop', 1280],
    ['phone', 360],
    ['small phone', 320],
  ] as const)
    it(`fits a ${device} without scrolling sideways`, async () => {
      const page = await open(width);
      for (const one of await page.locator('main summary').all()) await one.click();
      const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect(wide).to.equal(0);
    });

  for (const scheme of ['light', 'dark'] as const)
    it(`has a contrast of at least 4.5:1 for every text in the ${scheme} scheme`, async () => {
      const page = await open(1280, scheme);
      for (const one of await page.locator('main summary').all()) await one.click();
      const texts =
        await page.evaluate<readonly { text: string; color: string; grounds: readonly string[] }[]>(painted);
      expect(texts.length).to.be.greaterThan(100);
      for (const { text, color, grounds } of texts)
        expect(contrast(rgba(color).rgb, groundOf(grounds)), text).to.be.at.least(4.5);
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
