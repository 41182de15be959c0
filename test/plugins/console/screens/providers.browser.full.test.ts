import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const orb = 'test.record@1.0.0';
/** An Orb whose order platform.json does not give. */
const free = 'test.free@1.0.0';

describe('the providers of the console', function () {
  this.timeout(120_000);
  const recorder = createRecorder();
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  let release: () => void = () => undefined;
  before(async function () {
    const provider = (name: string) => ({ adapter: 'record/local', config: { name } });
    site = await startConsole(this, {
      adapters: [recorder.adapter],
      platform: {
        providers: {
          'blue-main': provider('blue-main'),
          'green-spare': provider('green-spare'),
          'red-spare': provider('red-spare'),
          echo: { adapter: 'echo/local' },
        },
        bindings: { [orb]: ['blue-main', 'green-spare'] },
      },
      data: {
        [`orbs/${orb}.json`]: recordOrb({ timeout_ms: 60_000 }),
        [`orbs/${free}.json`]: recordOrb({ orb_id: free }),
      },
    });
    shown = await site.open('/providers');
  });
  after(async () => {
    release();
    await shown?.close();
    await site?.close();
  });

  const active = async () =>
    (await site.platform.call('GET', `/providers/${orb}/status`)).body.active_provider as string;
  const facts = () => shown.page.locator('.facts').first();

  it('are a matrix of Orbs and providers, each with its health and role', async () => {
    const { page } = shown;
    const row = page
      .getByRole('region', { name: 'Orbs and their providers' })
      .getByRole('row')
      .filter({ hasText: orb });
    // The row stands before the state of its providers has come.
    await row.filter({ hasText: /active[\s\S]*standby 1/ }).waitFor();
    await shown.check('providers');
  });

  it('are swapped by mouse: the drain is shown while it lasts, then it is rolled back', async () => {
    const { page } = shown;
    const held = new Promise<void>((resolve) => (release = resolve));
    recorder.behaviour['blue-main'] = { execute: () => held };
    const running = site.platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'slow' } });
    await page.getByRole('link', { name: orb }).first().click();
    await page.getByRole('button', { name: 'Swap', exact: true }).click();
    await page.getByRole('dialog').getByLabel('New provider').selectOption('green-spare');
    await shown.check('providers-swap');
    await page.getByRole('dialog').getByRole('button', { name: 'Swap', exact: true }).click();
    await page.getByText('1 run still uses blue-main').waitFor();
    expect(await active()).to.equal('green-spare');
    await shown.check('providers-drain');
    release();
    await page.getByText('green-spare is active. No run was lost.').waitFor();
    expect((await running).status).to.equal(200);
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click();
    await facts().getByText('blue-main').waitFor();
    expect(await active()).to.equal('blue-main');
    await page.getByText('rollback', { exact: true }).waitFor();
    await shown.check('providers-one');
  });

  it('are swapped and rolled back by keyboard alone', async () => {
    const { page } = shown;
    await shown.go('/');
    await shown.keys('g', 'p');
    await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
    await page.getByRole('link', { name: orb }).first().focus();
    await shown.keys('Enter');
    await page.getByRole('button', { name: 'Swap', exact: true }).focus();
    await shown.keys('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.getByLabel('New provider').focus();
    const here = (): Promise<string> => page.evaluate('document.activeElement.textContent.trim()');
    for (let steps = 0; steps < 6 && (await here()) !== 'Swap'; steps++) await shown.keys('Tab');
    expect(await here()).to.equal('Swap');
    await shown.keys('Enter');
    await facts().getByText('green-spare').waitFor();
    await page.getByRole('button', { name: 'Roll back' }).focus();
    await shown.keys('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).focus();
    await shown.keys('Enter');
    await facts().getByText('blue-main').waitFor();
  });

  it('tell why a swap failed, and that nothing changed', async () => {
    const { page } = shown;
    recorder.behaviour['green-spare'] = {
      probe: () => {
        throw new Error('no connection');
      },
    };
    await page.getByRole('button', { name: 'Swap', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Swap', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    // The browser itself reports that the call failed, at its own time.
    await until(
      () => shown.faults.length,
      (count) => count > 0,
    );
    expect(shown.faults.splice(0)).to.have.length(1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await active()).to.equal('blue-main');
    recorder.behaviour['green-spare'] = undefined;
    await shown.go(`/providers/${orb}`);
    const row = page.getByRole('row').filter({ hasText: 'green-spare' }).first();
    await row.getByText('the adapter failed; the log of the server says why').waitFor();
    await shown.check('providers-failure');
  });

  it('stand by in an order that platform.json gives, or that is changed here with the key', async () => {
    const { page } = shown;
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Order of the standbys' }) });
    const dialog = page.getByRole('dialog', { name: 'Change the order of the standbys' });
    const enterKey = async (): Promise<void> => {
      const again = page.getByRole('dialog', { name: 'Enter your key again' });
      await again.getByLabel('API key').fill(site.platform.adminKey);
      await again.getByRole('button', { name: 'Continue' }).click();
    };
    const order = async () => (await site.platform.call('GET', `/providers/${free}/order`)).body;
    await panel.getByText('bindings in platform.json').waitFor();
    expect(await panel.getByRole('button').count()).to.equal(0);
    await shown.go(`/providers/${free}`);
    await panel.getByText('green-spare, red-spare').waitFor();
    await panel.getByRole('button', { name: 'Change the order' }).click();
    await dialog.getByText('Choose another order.').waitFor();
    // The one that had the place takes that of the one that gets it.
    await dialog.getByLabel('Standby 1').selectOption('red-spare');
    expect(await dialog.getByLabel('Standby 2').inputValue()).to.equal('green-spare');
    await shown.check('providers-order');
    await dialog.getByRole('button', { name: 'Change the order' }).click();
    await enterKey();
    await panel.getByText('red-spare, green-spare').waitFor();
    expect(await order()).to.deep.include({ source: 'store', standbys: ['red-spare', 'green-spare'] });
    await page.getByRole('row').nth(2).getByText('red-spare').waitFor();
    await panel.getByRole('button', { name: 'Change the order' }).click();
    await dialog.getByLabel('Standby 1').selectOption('none');
    await dialog.getByRole('button', { name: 'Change the order' }).click();
    await enterKey();
    await panel.getByText('Not used').waitFor();
    expect((await order()).standbys).to.deep.equal(['green-spare']);
    await shown.check('providers-ordered');
    await panel.getByRole('button', { name: 'Use the default order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use the default order' }).click();
    await enterKey();
    await panel.getByText('green-spare, red-spare').waitFor();
    expect((await order()).source).to.equal('default');
  });

  it('are read again from platform.json', async () => {
    const { page } = shown;
    const path = join(site.platform.home, 'data/platform.json');
    const platform = JSON.parse(readFileSync(path, 'utf8')) as { providers: Record<string, { config: object }> };
    platform.providers['green-spare'] = {
      ...platform.providers['green-spare'],
      config: { name: 'green-spare', note: 'new' },
    };
    writeFileSync(path, JSON.stringify(platform));
    await shown.go('/providers');
    await page.getByRole('button', { name: 'Reload platform.json' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reload platform.json', exact: true }).click();
    await page.getByRole('heading', { name: 'platform.json was reloaded' }).waitFor();
    await page.getByRole('dialog').getByRole('row').filter({ hasText: 'green-spare' }).first().waitFor();
    await shown.check('providers-reload');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  });

  it('follow what others do, live', async () => {
    await shown.go(`/providers/${orb}`);
    await facts().getByText('blue-main').waitFor();
    await site.platform.call('POST', `/providers/${orb}/swap`, { provider: 'green-spare' });
    await facts().getByText('green-spare').waitFor();
    expect(shown.faults).to.deep.equal([]);
  });
});
