import { expect } from 'chai';
import { startConsole, type ConsoleSite } from '../helpers.ts';

describe('the charts of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  before(async function () {
    site = await startConsole(this);
  });
  after(() => site?.close());

  it('say what to do without figures; then draw them, each beside a table, together and by Orb', async () => {
    const shown = await site.open('/charts');
    const { page } = shown;
    await page.getByRole('heading', { name: 'No runs finished in this period' }).waitFor();
    await shown.check('charts-empty');
    const asked = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    for (let n = 0; n < 3; n++) await site.platform.call('POST', '/orbisets/default/execute', asked);
    await page.reload();
    await page.getByText('3 runs, 0 of them failed or denied').waitFor();
    await page.getByRole('img', { name: 'All runs: runs over time' }).waitFor();
    await page.getByText('Show as a table').press('Enter');
    await page
      .getByRole('table', { name: 'All runs: figures' })
      .getByRole('cell', { name: '3', exact: true })
      .waitFor();
    await shown.check('charts');
    const summary = page.getByText('Show as a table');
    await summary.focus();
    await site.platform.call('POST', '/orbisets/default/execute', asked);
    await page.getByText('4 runs, 0 of them failed or denied').waitFor();
    await page.getByRole('table', { name: 'All runs: figures' }).waitFor();
    expect(await page.evaluate('document.activeElement?.tagName')).to.equal('SUMMARY');
    await page.getByLabel('Show', { exact: true }).selectOption('orb_id');
    await page.getByRole('table', { name: 'All series' }).getByText('demo.echo@1.0.0').waitFor();
    await page.getByLabel('Period', { exact: true }).selectOption('day');
    await page.waitForURL(/by=orb_id/);
    expect(new URL(page.url()).searchParams.get('step')).to.equal('day');
    await page.getByRole('img', { name: 'demo.echo@1.0.0: p95 over time' }).waitFor();
    await shown.check('charts-by-orb');
    await shown.close();
  });
});
