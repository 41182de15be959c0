import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const orb = 'demo.echo@1.0.0';

describe('the events and changes of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  let earlier: string;
  before(async function () {
    site = await startConsole(this, {
      platform: { providers: { echo: { adapter: 'echo/local' }, spare: { adapter: 'echo/local' } } },
    });
    earlier = await run('earlier');
    shown = await site.open('/events');
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });

  const run = async (text: string): Promise<string> =>
    (await site.platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { text } })).body.run_id;
  const swap = (provider: string) => site.platform.call('POST', `/providers/${orb}/swap`, { provider });
  const events = () => shown.page.getByRole('region', { name: 'Events' });

  it('begin with what happened last, newest first', async () => {
    await events().getByRole('link', { name: earlier }).waitFor();
    const times = await events()
      .locator('tbody time')
      .evaluateAll((all) => all.map((one) => one.dateTime));
    expect(times.length).to.be.greaterThan(1);
    expect(times).to.deep.equal([...times].sort().reverse());
  });

  it('follow what happens, each event with links to what it is about', async () => {
    const { page } = shown;
    // In the table the pointer would hold new events back.
    await page.mouse.move(0, 0);
    await page.getByText('Live', { exact: true }).waitFor();
    const id = await run('one');
    await events().getByRole('link', { name: id }).waitFor();
    await swap('spare');
    await events().getByText('swap.completed').waitFor();
    expect(await events().getByRole('link', { name: id }).getAttribute('href')).to.equal(`/console/runs/${id}`);
    await shown.check('events');
  });

  it('filter by type and by what they are about, which the address keeps', async () => {
    const { page } = shown;
    await page.getByLabel('Type').selectOption('swap.*');
    await events().getByText('run.completed').waitFor({ state: 'detached' });
    expect(await events().locator('tbody tr').count()).to.equal(1);
    expect(page.url()).to.contain('type=swap.*');
    await page.getByLabel('Type').selectOption('');
    const id = await run('two');
    await events().getByRole('link', { name: id }).waitFor();
    await page.getByLabel('About').fill(id);
    await page.getByRole('button', { name: 'Filter' }).click();
    await until(
      () => events().locator('tbody tr').count(),
      (count) => count === 1,
      'the events of the run',
    );
    expect(page.url()).to.contain(id);
    await page.getByLabel('About').fill('');
    await page.getByRole('button', { name: 'Filter' }).click();
  });

  it('pause: new events wait, are counted, and come when the reader goes on', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    const id = await run('three');
    await page.getByRole('button', { name: 'Show 1 new event' }).waitFor();
    expect(await events().getByRole('link', { name: id }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Resume' }).press('Enter');
    await events().getByRole('link', { name: id }).waitFor();
  });

  it('say who did what, with the receipt that proves it', async () => {
    const { page } = shown;
    const { body: made } = await site.platform.call('POST', '/keys', { name: 'Ada', scopes: ['*'] });
    await site.platform.call('POST', `/providers/${orb}/swap`, { provider: 'echo' }, made.key);
    await shown.go('/changes');
    const table = page.getByRole('region', { name: 'Changes' });
    const row = table.locator('tbody tr').first();
    await row.getByText('Ada').waitFor();
    expect((await row.innerText()).replace(/\s+/g, ' ')).to.contain(`swap completed ${orb}`);
    await shown.check('changes');
    await page.getByLabel('Who').selectOption(made.principal);
    await page.getByLabel('What').selectOption('swap');
    await page.getByRole('button', { name: 'Filter' }).click();
    await until(
      () => table.locator('tbody tr').count(),
      (count) => count === 1,
      'the one change',
    );
    expect(page.url()).to.contain(made.principal).and.contain('kind=swap');
    await table.getByRole('link', { name: /receipt rec_/ }).click();
    await page.getByText('VERIFIED', { exact: true }).waitFor();
  });

  it('export the evidence of a time', async () => {
    const { page } = shown;
    await shown.go('/changes');
    await page.getByRole('button', { name: 'Export evidence' }).click();
    await shown.check('changes-export');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/^evidence-.*\.tar$/);
    expect((await readFile(await download.path())).includes('manifest.json')).to.equal(true);
  });
});
