import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { browserOrSkip } from '../../../helpers/browser.ts';
import { until } from '../../../helpers/until.ts';
import { startBed, type Bed, type Made } from '../../subscriptions/bed.ts';
import { openWindow, signIn, type ConsoleWindow } from '../helpers.ts';

describe('the callbacks of the console', function () {
  this.timeout(120_000);
  let browser: Browser;
  let bed: Bed;
  let shown: ConsoleWindow;
  let url: string;
  before(async function () {
    browser = await browserOrSkip(this);
    bed = await startBed();
    url = `${(await bed.receiver()).url}/hook`;
    shown = await openWindow(bed.platform, browser);
    await signIn(shown.page, bed.platform, bed.platform.adminKey);
    await shown.go('/callbacks');
  });
  after(async () => {
    await shown?.close();
    await bed?.stop();
    await browser?.close();
  });

  const subscriptions = async () =>
    (await bed.platform.call('GET', '/orbisets/default/subscriptions')).body.subscriptions;
  const dialog = () => shown.page.getByRole('dialog');
  const secretShown = async (): Promise<string> =>
    ((await dialog().getByRole('region', { name: 'secret of the subscription' }).textContent()) ?? '').trim();

  it('say what to do first; a subscription is created by keyboard, and its secret is shown once', async () => {
    const { page, keys } = shown;
    await page.getByRole('heading', { name: 'No subscriptions yet' }).waitFor();
    await shown.check('callbacks-none');
    await page.getByRole('link', { name: 'New subscription' }).press('Enter');
    await page.locator('h1:focus', { hasText: 'New subscription' }).waitFor();
    await page.getByLabel('Address').focus();
    await page.keyboard.type(url);
    await page.getByLabel('Denied runs').focus();
    await keys('Space');
    await shown.check('callbacks-new');
    await page.getByRole('button', { name: 'Create subscription' }).focus();
    await keys('Enter');
    await dialog().waitFor();
    const secret = await secretShown();
    expect(secret).to.match(/^whsec_/);
    await shown.check('callbacks-once');
    await dialog().getByRole('button', { name: 'I have saved it' }).focus();
    await keys('Enter');
    await page.getByRole('heading', { level: 1, name: url }).waitFor();
    expect(await page.content()).not.to.include(secret);
    const [made] = await subscriptions();
    expect(made.types).to.deep.equal(['run.completed', 'run.failed', 'run.indeterminate']);
  });

  it('are listed as they are delivered, each with its run', async () => {
    const { page } = shown;
    const { body } = await bed.run('ok');
    const table = page.getByRole('region', { name: 'Callbacks' });
    await table.getByText('run.completed').waitFor();
    expect(await table.getByRole('link', { name: body.run_id }).count()).to.equal(1);
    await until(
      async () => {
        await page.getByRole('button', { name: 'Refresh' }).click();
        return table.getByText('delivered').count();
      },
      (count) => count === 1,
      'the delivery',
    );
    await shown.check('callbacks-one');
  });

  it('are paused, and sent again', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Pause' }).click();
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await subscriptions())[0].state).to.equal('paused');
    await bed.run('waits');
    const again = page.getByRole('button', { name: 'Send again' });
    await again.waitFor();
    await again.click();
    await dialog().getByText('It is sent now, with the same id').waitFor();
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByLabel('Status').selectOption('waiting');
    await page.getByRole('region', { name: 'Callbacks' }).getByText('waiting').waitFor();
    await shown.go('/callbacks');
    await shown.check('callbacks');
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect((await subscriptions())[0].state).to.equal('active');
  });

  it('rotate the secret, which is shown once, and delete the subscription by a typed word', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: url }).click();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await dialog()
      .getByLabel(/Type “rotate”/)
      .fill('rotate');
    await dialog().getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByText('Copy the secret now').waitFor();
    const secret = await secretShown();
    expect(secret).to.match(/^whsec_/);
    await dialog().getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.content()).not.to.include(secret);
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog()
      .getByLabel(/Type “delete”/)
      .fill('delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Callbacks' }).waitFor();
    expect(await subscriptions()).to.deep.equal([]);
  });

  it('say at the field why an address is refused', async () => {
    const { page, faults } = shown;
    await shown.go('/callbacks/new');
    await page.getByLabel('Address').fill('https://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Create subscription' }).click();
    await page.locator('.field .error').waitFor();
    expect(await page.getByLabel('Address').getAttribute('aria-invalid')).to.equal('true');
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 422')));
    expect(faults).to.deep.equal([]);
  });

  it('are those of the Orbiset that is chosen', async () => {
    const { page } = shown;
    const other: Made = await bed.subscribe(url, {}, 'moving');
    await shown.go('/callbacks');
    // A field until the list of Orbisets was read.
    await page.locator('select').and(page.getByLabel('Orbiset')).selectOption('moving');
    await page.getByRole('link', { name: url }).waitFor();
    expect(page.url()).to.contain('orbiset=moving');
    expect(other.subscription.subscription_id).to.match(/^sub_/);
  });
});
