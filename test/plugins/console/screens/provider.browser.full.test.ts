import { expect } from 'chai';
import { startSmtp, type SmtpReceiver } from '../../../helpers/smtp.ts';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const orb = 'notify.email@1.0.0';
const page0 = '/console/providers/-/smtp-main';
const mail = { to: 'ada@example.org', from_address: 'orb@example.org', subject: 'Hi', body: 'Hello' };

describe('the page of a provider', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let smtp: SmtpReceiver;
  let shown: ConsoleWindow;
  const failed: string[] = [];
  const first = (): string => failed[0] ?? '';
  const run = () => site.platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: mail });
  const health = async () => (await site.platform.call('GET', `/providers/${orb}/status`)).body.providers[0].health;
  before(async function () {
    smtp = await startSmtp();
    const config = { host: '127.0.0.1', port: smtp.port, starttls: 'never' };
    site = await startConsole(this, {
      platform: {
        providers: {
          'smtp-main': { adapter: 'email/smtp', config },
          ...{ outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } },
        },
        bindings: { [orb]: ['smtp-main'] },
      },
    });
    expect((await run()).status).to.equal(200);
    await smtp.close();
    for (let calls = 0; calls < 2; calls++) {
      const { body, status } = await run();
      expect(status).to.equal(503);
      failed.push(body.run_id);
    }
    await until(health, (now) => now === 'down');
    shown = await site.open();
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });

  // What an operator must find: why it is down, and which runs failed for it, as links.
  const answers = async (): Promise<void> => {
    const { page } = shown;
    await page
      .getByText(/smtp-main is down/)
      .first()
      .waitFor();
    await page
      .getByText(/ECONNREFUSED|refused|could not connect/i)
      .first()
      .waitFor();
    const table = page.getByRole('region', { name: 'Runs that failed' });
    for (const id of failed) await table.getByRole('link', { name: id }).waitFor();
  };
  const isThere = (): boolean => new URL(shown.page.url()).pathname === page0;

  it('is found within three clicks from the home, by pointer: why it is down, and the runs that failed', async () => {
    const { page } = shown;
    await shown.go('/');
    let clicks = 0;
    for (; !isThere() && clicks < 3; clicks++) {
      const before = page.url();
      await page
        .locator('main')
        .getByRole('link', { name: /smtp-main/ })
        .first()
        .click();
      await page.waitForURL((url) => url.href !== before);
    }
    expect([isThere(), clicks <= 2]).to.deep.equal([true, true]);
    await answers();
    await page.getByRole('link', { name: first() }).first().click();
    await page.locator('h1', { hasText: first() }).waitFor();
    await page
      .getByText(/ECONNREFUSED|refused|could not connect/i)
      .first()
      .waitFor();
  });

  it('is found by keyboard alone, with as many presses of Enter', async () => {
    const { page } = shown;
    await shown.go('/');
    await page
      .locator('main')
      .getByRole('link', { name: /smtp-main/ })
      .first()
      .waitFor();
    let enters = 0;
    for (; !isThere() && enters < 3; enters++) {
      const before = page.url();
      await tabTo(/smtp-main/);
      await shown.keys('Enter');
      await page.waitForURL((url) => url.href !== before);
      await page
        .locator('main')
        .getByRole('link', { name: /smtp-main/ })
        .or(page.locator('h1', { hasText: 'smtp-main' }))
        .first()
        .waitFor();
    }
    expect([isThere(), enters <= 2]).to.deep.equal([true, true]);
    await answers();
    await tabTo(new RegExp(first()));
    await shown.keys('Enter');
    await page.locator('h1', { hasText: first() }).waitFor();
  });

  // Presses Tab until a link with these words has the focus.
  async function tabTo(words: RegExp): Promise<void> {
    const { page } = shown;
    await page.locator('h1').focus();
    const here = (): Promise<string> =>
      page.evaluate(
        `(({ tagName, textContent, ariaLabel }) => tagName === 'A' ? (ariaLabel ?? textContent) : '')(document.activeElement)`,
      );
    for (let steps = 0; steps < 80 && !words.test(await here()); steps++) await shown.keys('Tab');
    expect(await here()).to.match(words);
  }

  it('shows how it was, where it is used and configured, and its figures', async () => {
    const { page } = shown;
    await shown.go('/providers/-/smtp-main');
    await answers();
    const facts = page.locator('.facts').first();
    await facts.getByText('platform.json').waitFor();
    await facts.getByRole('link', { name: orb }).waitFor();
    expect(await facts.getByRole('link', { name: 'Settings of this adapter' }).getAttribute('href')).to.equal(
      '/docs/providers/email-smtp',
    );
    await page.getByRole('img', { name: /^(1 of 1 hour|[12] of 2 hours) had a problem/ }).waitFor();
    const changes = page.getByRole('region', { name: 'Changes of health' });
    await changes.getByRole('row').filter({ hasText: 'down' }).first().waitFor();
    const hours = page.getByRole('region', { name: 'Runs by the hour' });
    await hours.getByRole('row').nth(1).waitFor();
    await page.getByText('No incident was about it.').waitFor();
    await page.getByText('No swaps yet.').waitFor();
    await shown.check('provider');
    await page.getByLabel('Period').selectOption('The last 30 days');
    await page.getByRole('img', { name: / of [12] days? had a problem/ }).waitFor();
  });

  it('sends a test, which shows its run and receipt', async () => {
    const { page } = shown;
    await shown.go('/providers/-/echo');
    await page.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Test of the provider echo by the Agent Orb installation ins_/).waitFor();
    await shown.check('provider-test');
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog', { name: 'The test was sent' }).waitFor();
    await shown.check('provider-tested');
    await page.getByRole('dialog').getByRole('link', { name: /^rec_/ }).click();
    await page.locator('h1', { hasText: 'Receipt: demo.echo@1.0.0 completed' }).waitFor();
  });

  it('asks for the recipient, and says why a test failed, with its run', async () => {
    const { page } = shown;
    await shown.go('/providers/-/smtp-main');
    await page.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog');
    const send = dialog.getByRole('button', { name: 'Send a test' });
    await dialog.getByLabel('to', { exact: true }).fill('ada@example.org');
    expect(await send.isDisabled()).to.equal(true);
    await dialog.getByLabel('from_address').fill('orb@example.org');
    await send.click();
    await dialog.getByRole('alert').getByRole('link', { name: 'open the run' }).waitFor();
    // The browser itself reports that the call failed, at its own time.
    await until(
      () => shown.faults.length,
      (count) => count > 0,
    );
    shown.faults.splice(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('says that no Orb uses a provider, or that there is none', async () => {
    const { page } = shown;
    await shown.go('/providers/-/outbox');
    await page.getByText('No Orb uses it').waitFor();
    await shown.go('/providers/-/nobody');
    await page.getByText('There is no such provider now.').waitFor();
    shown.faults.splice(0);
  });
});
