import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { hourly, path, clockAt, type SetClock } from '../../schedules/started.ts';
import { openWindow, signIn, startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

describe('the schedules of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  let clock: SetClock;
  before(async function () {
    clock = clockAt('2026-11-23T10:59:00Z');
    site = await startConsole(this, { clock });
    shown = await open('/schedules');
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });

  // Not by the home screen, which asks for times of the browser's clock.
  const open = async (at: string): Promise<ConsoleWindow> => {
    const { platform, browser } = site;
    const window = await openWindow(platform, browser);
    await window.page.goto(`${platform.url}/console${at}`);
    await signIn(window.page, platform, platform.adminKey);
    return window;
  };
  const schedules = async () => (await site.platform.call('GET', path)).body.schedules;
  const dialog = () => shown.page.getByRole('dialog');

  it('say what to do first, and are created by keyboard alone', async () => {
    const { page, keys } = shown;
    await page.getByRole('heading', { name: 'No schedules yet' }).waitFor();
    await shown.check('schedules-none');
    await page.getByRole('link', { name: 'New schedule' }).press('Enter');
    await page.locator('h1:focus', { hasText: 'New schedule' }).waitFor();
    await page.getByLabel('Orb', { exact: true }).focus();
    await page.keyboard.type('demo.echo@1.0.0');
    await page.getByRole('textbox', { name: 'text' }).waitFor();
    await page.getByLabel('Pattern').focus();
    await page.keyboard.type('61 * * * *');
    await page.getByRole('textbox', { name: 'text' }).focus();
    await page.keyboard.type('tick');
    await page.getByRole('button', { name: 'Create schedule' }).focus();
    await keys('Enter');
    await page.getByText('is not a cron pattern of five fields').first().waitFor();
    const { faults } = shown;
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 422')));
    await shown.check('schedules-new');
    await page.getByLabel('Pattern').fill('0 * * * *');
    await page.getByRole('button', { name: 'Create schedule' }).focus();
    await keys('Enter');
    await page.getByRole('heading', { level: 1, name: 'demo.echo@1.0.0' }).waitFor();
    const [one] = await schedules();
    expect(one).to.include({ cron: '0 * * * *', state: 'active', overlap: 'skip', catch_up: 'none' });
  });

  it('show their next times in both zones, and their last runs as they end', async () => {
    const { page } = shown;
    const next = page.locator('dd', { has: page.locator('time') }).first();
    expect(await next.locator('time').count()).to.equal(5);
    expect(await next.locator('time').first().getAttribute('datetime')).to.equal('2026-11-23T11:00:00.000Z');
    expect(await page.locator('main').innerText()).not.to.include('tick');
    clock.set('2026-11-23T11:00:01Z');
    const table = page.getByRole('region', { name: 'Latest runs' });
    await table.getByText('completed').waitFor();
    await shown.check('schedules-one');
    await table.getByRole('link').first().click();
    await page.getByRole('heading', { level: 2, name: 'Receipt' }).or(page.getByText('completed')).first().waitFor();
  });

  it('are paused and resumed from the list, after a dialog that says what it does', async () => {
    const { page } = shown;
    await shown.go('/schedules');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Runs that it already started continue.').waitFor();
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await schedules())[0].state).to.equal('paused');
    await shown.check('schedules');
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect((await schedules())[0].state).to.equal('active');
  });

  it('are changed: times, rules, and inputs only when new ones are entered', async () => {
    const { page, keys } = shown;
    await page.getByRole('link', { name: 'demo.echo@1.0.0' }).click();
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Change a schedule' }).waitFor();
    expect(await page.getByLabel('Pattern').inputValue()).to.equal('0 * * * *');
    expect(await page.getByRole('textbox', { name: 'text' }).count()).to.equal(0);
    await shown.check('schedules-change');
    await page.getByLabel('Pattern').fill('15 * * * *');
    await page.getByLabel('If the previous run has not ended').selectOption('queue');
    await page.getByRole('button', { name: 'Save changes' }).focus();
    await keys('Enter');
    await page.locator('dd').getByText('15 * * * *').waitFor();
    expect((await schedules())[0]).to.include({ cron: '15 * * * *', overlap: 'queue' });
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByLabel('Enter new inputs').check();
    await page.getByRole('textbox', { name: 'text' }).fill('another text');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'demo.echo@1.0.0' }).waitFor();
  });

  it('run once now, which their list of runs shows', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Run now' }).click();
    await dialog().getByText('Its times do not change.').waitFor();
    await shown.check('schedules-run');
    await dialog().getByRole('button', { name: 'Run now' }).click();
    const table = page.getByRole('region', { name: 'Latest runs' });
    await table.getByRole('row').filter({ hasText: 'started' }).getByText('completed').waitFor();
    expect((await schedules())[0].next_at).to.equal('2026-11-23T11:15:00.000Z');
  });

  it('say why the server paused them, and are deleted by a typed word', async () => {
    const made = (await site.platform.call('POST', '/keys', { scopes: ['orbs:execute', 'schedules:manage'] })).body;
    const { body } = await site.platform.call('POST', path, hourly, made.key);
    await site.platform.call('DELETE', `/keys/${made.key_id}`);
    clock.set('2026-11-23T12:00:01Z');
    await until(
      async () => (await site.platform.call('GET', `${path}/${body.schedule_id}`)).body.state,
      (state) => state === 'paused',
      'the pause',
    );
    // The session has ended in the hour that passed.
    await shown.close();
    shown = await open(`/schedules/default/${body.schedule_id}`);
    const { page } = shown;
    await page.getByText('credential revoked').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog()
      .getByLabel(/Type “delete”/)
      .fill('delete');
    await shown.check('schedules-delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    expect(await schedules()).to.have.length(1);
  });
});
