import { expect } from 'chai';
import { startConsole, type ConsoleSite, type ConsoleWindow } from './helpers.ts';

describe('finding things in the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow | undefined;
  before(async function () {
    site = await startConsole(this);
    await site.platform.call('POST', '/keys', { scopes: ['runs:read'], name: 'night shift', principal_name: 'Robot' });
  });
  afterEach(async () => {
    await shown?.close();
    shown = undefined;
  });
  after(() => site?.close());

  it('suggests things by name while the reader types, chosen by arrows', async () => {
    shown = await site.open();
    const { page } = shown;
    await shown.keys('/');
    await page.keyboard.type('night');
    const list = page.getByRole('listbox', { name: 'Results' });
    await list.getByRole('option', { name: /^night shift Key key_/ }).waitFor();
    await shown.check('search');
    await page.keyboard.press('ArrowDown');
    const field = page.getByRole('combobox', { name: 'Search' });
    const active = await field.getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).textContent()).to.include('night shift');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'night shift' }).waitFor();
    expect(await field.inputValue()).to.equal('');
    expect(shown.faults).to.deep.equal([]);
  });

  it('finds an incident by words of its title', async () => {
    const scope = [{ kind: 'orb', id: 'demo.echo@1.0.0' }];
    const wish = { title: 'Mail is slow in Lisbon', severity: 'warning', scope };
    await site.platform.call('POST', '/incidents', wish);
    shown = await site.open();
    const { page } = shown;
    await shown.keys('/');
    await page.keyboard.type('in lisbon');
    await page.getByRole('option', { name: /^Mail is slow in Lisbon Incident inc_/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: wish.title }).waitFor();
    expect(shown.faults).to.deep.equal([]);
  });

  it('closes the suggestions with Escape, and says when there are none', async () => {
    shown = await site.open();
    const { page } = shown;
    await shown.keys('/');
    await page.keyboard.type('runs');
    const list = page.getByRole('listbox', { name: 'Results' });
    await list.getByRole('option', { name: /^Runs Screen/ }).waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page.getByRole('combobox', { name: 'Search' }).fill('no thing has this');
    await page.getByText('Nothing has this name').waitFor();
    await shown.check('search-empty');
  });

  it('opens by Enter what is found first, also before the answer is there', async () => {
    shown = await site.open();
    const { page } = shown;
    await page.route('**/search?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await shown.keys('/');
    await page.keyboard.type('night shift');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'night shift' }).waitFor();
  });

  it('has all screens and the actions of the present one in the palette', async () => {
    shown = await site.open('/runs');
    const { page } = shown;
    await page.getByRole('link', { name: 'Download CSV' }).waitFor();
    await shown.keys('Control+k');
    const options = page.getByRole('dialog').getByRole('option');
    await options.first().waitFor();
    const tabs = await page.getByRole('navigation', { name: 'Console' }).first().getByRole('link').allTextContents();
    const names = (await options.allTextContents()).map((text) =>
      text.replace(/(Screen|Action of this screen)$/, '').trim(),
    );
    expect(names[0]).to.equal('Download CSV');
    expect(names).to.include.members(tabs);
    await shown.check('palette');
    await page.keyboard.type('name');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Namespaces' }).waitFor();
    expect(shown.faults).to.deep.equal([]);
  });

  it('leads from each id of the product to its screen', async () => {
    const { platform } = site;
    const { body } = await platform.call('POST', '/orbisets/default/execute', {
      ...{ orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } },
    });
    const { principal, key_id } = (await platform.call('GET', '/keys/self')).body;
    const [swap] = (await platform.call('GET', '/swaps')).body.swaps;
    shown = await site.open();
    const { page } = shown;
    for (const [id, path] of [
      [body.run_id, `/runs/${body.run_id}`],
      [body.receipt.receipt_id, `/receipts/${body.receipt.receipt_id}`],
      [key_id, `/keys/${key_id}`],
      [principal, `/runs`],
      ...(swap === undefined ? [] : [[swap.swap_id, `/providers/${encodeURIComponent(swap.orb_id)}`]]),
    ] as const) {
      await shown.keys('Control+k');
      await page.keyboard.type(String(id));
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname === `/console${path}`);
    }
    expect(shown.faults).to.deep.equal([]);
  });

  it('suggests nothing that the key may not see', async () => {
    shown = await site.open('', await site.platform.key({ scopes: ['runs:read'] }));
    const { page } = shown;
    await shown.keys('Control+k');
    const answered = page.waitForResponse((response) => response.url().endsWith('/search?q=night'));
    await page.keyboard.type('night');
    expect(await (await answered).json()).to.deep.equal({ results: [] });
    await page.getByRole('option', { name: /^Runs of night/ }).waitFor();
    expect(await page.getByRole('option').count()).to.equal(1);
    await page.getByRole('combobox', { name: 'Find' }).fill('keys');
    await page.getByRole('option', { name: /^Runs of keys/ }).waitFor();
    expect(await page.getByRole('option').count()).to.equal(1);
  });
});
