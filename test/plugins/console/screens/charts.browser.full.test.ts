import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite } from '../helpers.ts';

const asked = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };

/** Goes by arrow keys from the last step back to one that tells these words: the runs may be of the day before. */
async function stepOf(slider: Locator, words: string): Promise<string> {
  await slider.press('End');
  for (let tries = 0; tries < 3; tries++) {
    const text = (await slider.getAttribute('aria-valuetext')) ?? '';
    if (text.includes(words)) return text;
    await slider.press('ArrowLeft');
  }
  return (await slider.getAttribute('aria-valuetext')) ?? '';
}

const runsOf = (page: Page): Locator => page.getByRole('table', { name: 'Runs' }).getByRole('row');

describe('the charts of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  before(async function () {
    site = await startConsole(this);
  });
  after(() => site?.close());
  const run = () => site.platform.call('POST', '/orbisets/default/execute', asked);

  it('say what to do without runs; then draw them next to their tables, and follow new runs', async () => {
    const shown = await site.open('/charts');
    const { page } = shown;
    await page.getByRole('heading', { name: 'No runs in this period' }).waitFor();
    await shown.check('charts-empty');
    for (let n = 0; n < 3; n++) await run();
    await page.reload();
    await page.getByRole('link', { name: '3 runs', exact: true }).waitFor();
    await page.getByRole('slider', { name: 'Error rate' }).waitFor();
    await page.getByText('Show as a table').press('Enter');
    const figures = page.getByRole('table', { name: 'All runs: figures' });
    await figures.getByRole('link', { name: '3', exact: true }).waitFor();
    // A step without runs is a zero, not a gap.
    expect(await figures.getByRole('row').count()).to.equal(1 + 97);
    await shown.check('charts');
    const summary = page.getByText('Show as a table');
    await summary.focus();
    await run();
    await page.getByRole('link', { name: '4 runs', exact: true }).waitFor();
    await figures.waitFor();
    expect(await page.evaluate('document.activeElement?.tagName')).to.equal('SUMMARY');
    await shown.close();
  });

  it('tell the values of a step by arrow keys, and lead to its runs by Enter, or to those of one outcome', async () => {
    await run();
    const shown = await site.open('/charts?step=day');
    const { page } = shown;
    const slider = page.getByRole('slider', { name: 'Runs by outcome, runs per day' });
    await slider.focus();
    expect(await stepOf(slider, 'total 5')).to.match(/^\d{4}-\d\d-\d\d UTC: total 5, completed 5$/);
    await slider.press('Home');
    expect(await slider.getAttribute('aria-valuenow')).to.equal('0');
    expect(await slider.getAttribute('aria-valuetext')).to.contain(': total 0');
    const rate = page.getByRole('slider', { name: 'Error rate' });
    await rate.press('Home');
    const without = page.locator('.plot-told').getByText('no runs');
    await without.waitFor();
    await stepOf(rate, '0 %');
    await without.waitFor({ state: 'detached' });
    await slider.focus();
    await stepOf(slider, 'total 5');
    await shown.check('charts-step');
    await slider.press('Enter');
    await page.waitForURL(/\/console\/runs\?from=.*&to=/);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await until(
      () => runsOf(page).count(),
      (count) => count === 6,
    );
    await page.goBack();
    await stepOf(slider, 'total 5');
    await page.getByRole('link', { name: 'completed 5' }).press('Enter');
    await page.waitForURL(/\/console\/runs\?status=completed&from=/);
    await shown.close();
  });

  it('tell the values under the pointer, and lead to the runs by a click', async () => {
    const shown = await site.open('/charts');
    const { page } = shown;
    const slider = page.getByRole('slider', { name: 'Runs by outcome, runs per minute' });
    await slider.waitFor();
    const box = await slider.boundingBox();
    const [x = 0, y = 0] = box === null ? [] : [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.locator('.plot-told').first().getByText('total 0').waitFor();
    await page.mouse.click(x, y);
    await page.waitForURL(/\/console\/runs\?from=/);
    await page.getByText('No runs match the filters').waitFor();
    await shown.close();
  });

  for (const [name, by, value, filter] of [
    ['By Orb', 'orb_id', 'demo.echo@1.0.0', 'orb_id=demo.echo%401.0.0'],
    ['By provider', 'provider', 'echo', 'provider=echo'],
    ['By status', 'status', 'completed', 'status=completed'],
    ['By principal', 'principal', 'admin', 'principal=prn_'],
    ['By key', 'key_id', 'admin', 'key_id=key_'],
  ] as const)
    it(`show groups: ${name.toLowerCase()}, each leading to its runs`, async () => {
      const shown = await site.open('/charts');
      const { page } = shown;
      await page.getByLabel('Show', { exact: true }).selectOption({ label: name });
      await page.waitForURL(new RegExp(`by=${by}`));
      const row = page.getByRole('table', { name: 'All series' }).getByRole('row').filter({ hasText: value });
      await page.getByRole('slider', { name: 'p95 of the duration, duration' }).waitFor();
      await shown.check(`charts-${by}`);
      await row.getByRole('link').first().click();
      await page.waitForURL((url) => url.pathname === '/console/runs' && url.search.includes(filter));
      await runsOf(page).filter({ hasText: 'demo.echo@1.0.0' }).first().waitFor();
      await shown.close();
    });

  it('say why they cannot be read, and keep the choice of the period', async () => {
    const shown = await site.open('/charts?step=minute&from=2020-01-01T00:00:00Z');
    const { page } = shown;
    await page.getByText('data by minute is no longer kept for this time').first().waitFor();
    await page.getByLabel('Period', { exact: true }).selectOption('day');
    await page.getByRole('slider', { name: 'Runs by outcome, runs per day' }).waitFor();
    await shown.close();
  });
});
