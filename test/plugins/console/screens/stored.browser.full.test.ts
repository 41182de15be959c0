import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startSmtp, type SmtpReceiver } from '../../../helpers/smtp.ts';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const orb = 'notify.email@1.0.0';
const secret = 'Zx9-hidden-password-52';

describe('the forms of providers in the console', function () {
  this.timeout(120_000);
  let smtp: SmtpReceiver;
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  before(async function () {
    smtp = await startSmtp({ auth: { user: 'orb', pass: secret } });
    site = await startConsole(this, {
      platform: {
        providers: { outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } },
        plugins: { 'stored-providers': { config: { private_hosts: [{ host: '127.0.0.1', port: smtp.port }] } } },
      },
    });
    shown = await site.open('/providers');
  });
  after(async () => {
    await shown?.close();
    await site?.close();
    await smtp?.close();
  });
  const get = (name: string) => site.platform.call('GET', `/providers/${name}`);
  const dialog = () => shown.page.getByRole('dialog').last();
  const button = (name: string) => shown.page.getByRole('button', { name, exact: true });
  const enterKey = async (key = site.platform.adminKey): Promise<void> => {
    await shown.page.getByRole('dialog', { name: 'Enter your key again' }).getByLabel('API key').fill(key);
    await button('Continue').click();
  };
  /** Takes the faults that the browser reports of refused calls, at its own time. */
  const refused = async (count = 1): Promise<void> => {
    await until(
      () => shown.faults.length,
      (found) => found >= count,
      'the refused calls',
    );
    expect(shown.faults.splice(0).filter((fault) => !fault.includes('/providers/'))).to.deep.equal([]);
  };

  it('begin with the adapters: what each does, and why some are for the file alone', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'Add a provider' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'mcp/stdio' });
    await row.getByText('it starts a program on the server').waitFor();
    expect(await row.getByRole('link').count()).to.equal(0);
    await shown.check('providers-new');
    await page.getByLabel('Find an adapter').fill('mail server');
    await page.getByRole('link', { name: 'email/smtp' }).waitFor();
    expect(await page.getByRole('link', { name: 'email/postmark' }).count()).to.equal(0);
    await page.getByRole('link', { name: 'email/smtp' }).click();
    await page.getByRole('heading', { level: 1, name: 'Add a provider: email/smtp' }).waitFor();
  });

  it('say what is missing at the fields, before anything is sent', async () => {
    const { page } = shown;
    await button('Review').click();
    await page.getByText('Enter a name of small letters').waitFor();
    expect(await page.getByLabel('Host', { exact: true }).getAttribute('aria-invalid')).to.equal('true');
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).to.equal('Name');
    expect(await page.getByText('Required', { exact: true }).count()).to.equal(2);
    await shown.check('providers-new-missing');
  });

  it('show what the server refuses at the field', async () => {
    const { page } = shown;
    await page.getByLabel('Name', { exact: true }).fill('relay');
    await page.getByLabel('Host', { exact: true }).fill('10.1.2.3');
    await page.getByLabel('Port').fill('2525');
    await button('Review').click();
    await button('Add provider').click();
    await enterKey();
    await page.locator('.field').filter({ hasText: 'Host' }).first().getByText('private_hosts').waitFor();
    await refused();
    expect((await get('relay')).status).to.equal(404);
  });

  it('add nothing without the key, and nothing with a wrong one', async () => {
    const { page } = shown;
    await page.getByLabel('Host', { exact: true }).fill('127.0.0.1');
    await page.getByLabel('Port').fill(String(smtp.port));
    await page.getByLabel('STARTTLS').selectOption('never');
    await page.getByLabel('User name').fill('orb');
    expect(await page.getByLabel('Password').getAttribute('type')).to.equal('password');
    await page.getByLabel('Password').fill(secret);
    await button('Review').click();
    await page.getByRole('row').filter({ hasText: '/auth/password' }).getByText('secret, not shown').waitFor();
    expect(await dialog().innerText()).to.not.include(secret);
    await page.getByRole('dialog').getByText('API call').click();
    expect(await dialog().innerText()).to.not.include(secret);
    await shown.check('providers-new-review');
    await button('Add provider').click();
    await page.getByRole('dialog', { name: 'Enter your key again' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('No key was entered').waitFor();
    await button('Review').click();
    await button('Add provider').click();
    await enterKey(`orb_live_${'x'.repeat(43)}`);
    await page.getByRole('alert').waitFor();
    await refused();
    expect((await get('relay')).status).to.equal(404);
  });

  it('add the provider with the key, and never show its secret again', async () => {
    const { page } = shown;
    await button('Review').click();
    await button('Add provider').click();
    await enterKey();
    await page.getByRole('heading', { level: 1, name: 'relay is in the store' }).waitFor();
    await page.getByRole('row').filter({ hasText: orb }).getByText('added').waitFor();
    await shown.check('providers-new-made');
    expect((await get('relay')).body).to.deep.include({ origin: 'store', secrets: ['/auth/password'] });
    await page.getByRole('link', { name: 'Open relay' }).click();
    await page.getByText('set, not shown').waitFor();
    const row = page.getByRole('row').filter({ hasText: orb });
    await row.getByText('standby').waitFor();
    await shown.check('providers-stored');
    expect(await page.content()).to.not.include(secret);
  });

  it('keep a name that is taken from being overwritten', async () => {
    const { page } = shown;
    await shown.go('/providers/new?adapter=email/outbox');
    await page.getByLabel('Name', { exact: true }).fill('relay');
    await button('Review').click();
    await button('Add provider').click();
    await enterKey();
    await page.getByText('The store already has a provider relay.').waitFor();
    await refused();
    expect((await get('relay')).body.adapter).to.equal('email/smtp');
  });

  it('say a conflict in words, keep what was typed, and show what it would replace', async () => {
    const { page } = shown;
    await shown.go('/providers/stored/relay');
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByText('It is set, and is not shown').waitFor();
    expect(await page.getByLabel('Password').inputValue()).to.equal('');
    await page.getByLabel('Password').fill(secret);
    await page.getByLabel('Host name in EHLO').fill('mine.example.org');
    const config = { host: '127.0.0.1', port: smtp.port, starttls: 'never', auth: { user: 'orb', password: secret } };
    const other = { adapter: 'email/smtp', config: { ...config, max_connections: 3 } };
    expect((await site.platform.call('PUT', '/providers/relay', other)).status).to.equal(200);
    await button('Review').click();
    await button('Save changes').click();
    await enterKey();
    await page.getByText('Somebody else changed relay after you opened this form.').waitFor();
    await refused();
    await shown.check('providers-stored-conflict');
    await button('Read the current settings').click();
    await page.getByText('Somebody else changed relay').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Host name in EHLO').inputValue()).to.equal('mine.example.org');
    await button('Review').click();
    const changes = page.getByRole('region', { name: 'What changes' });
    await changes.getByRole('row').filter({ hasText: '/max_connections' }).getByText('removed').waitFor();
    await changes.getByRole('row').filter({ hasText: '/name' }).getByText('added').waitFor();
    await changes.getByRole('row').filter({ hasText: '/auth/password' }).getByText('changed').waitFor();
    expect(await changes.getByRole('row').count()).to.equal(4);
    await button('Save changes').click();
    await enterKey();
    await page.getByText('relay was changed.').waitFor();
    expect((await get('relay')).body.config)
      .to.include({ name: 'mine.example.org' })
      .and.not.have.property('max_connections');
  });

  it('swap an Orb to the provider, which then cannot be removed', async () => {
    const { page } = shown;
    await button('Swap to it').click();
    await dialog().getByRole('button', { name: 'Swap to it' }).click();
    await page.getByRole('row').filter({ hasText: orb }).getByText('active').waitFor();
    await page.getByRole('link', { name: 'Try it with' }).waitFor();
    await shown.go('/providers/stored/relay');
    await page.getByText('swap that Orb to another provider first').waitFor();
    expect(await button('Remove').count()).to.equal(0);
  });

  it('show a provider of the file read-only, with the reason', async () => {
    const { page } = shown;
    await shown.go('/providers');
    await page.getByRole('region', { name: 'All providers' }).getByRole('link', { name: 'outbox' }).click();
    await page.getByText('platform.json defines outbox, so it is read-only here.').waitFor();
    expect(await page.getByRole('link', { name: 'Change' }).count()).to.equal(0);
    await shown.check('providers-stored-file');
    await button('Swap to it').click();
    await dialog().getByRole('button', { name: 'Swap to it' }).click();
    await page.getByRole('row').filter({ hasText: orb }).getByText('active').waitFor();
  });

  it('remove the provider with the key, once its name was typed', async () => {
    const { page } = shown;
    await shown.go('/providers/stored/relay');
    await button('Remove').click();
    await dialog().getByLabel('to confirm').fill('relay');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await enterKey();
    await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
    expect((await get('relay')).status).to.equal(404);
    await page
      .getByRole('region', { name: 'All providers' })
      .getByRole('link', { name: 'relay' })
      .waitFor({ state: 'detached' });
  });

  it('take names with secrets row by row', async () => {
    const { page } = shown;
    await shown.go('/providers/new?adapter=chat/incoming');
    await page.getByLabel('Name', { exact: true }).fill('hooks');
    await page.getByLabel('Whose form the message has').selectOption('json');
    await page.getByLabel('Channels: name 1').fill('ops');
    expect(await page.getByLabel('Channels: value 1').getAttribute('type')).to.equal('password');
    await page.getByLabel('Channels: value 1').fill('https://hooks.example.org/T/hidden-52');
    await button('Review').click();
    expect(await dialog().innerText())
      .to.include('/channels/ops')
      .and.not.include('hidden-52');
    await button('Add provider').click();
    await enterKey();
    await page.getByRole('heading', { level: 1, name: 'hooks is in the store' }).waitFor();
    await shown.go('/providers/stored/hooks?change=yes');
    await page.getByLabel('Channels: name 1').waitFor();
    expect(await page.getByLabel('Channels: name 1').inputValue()).to.equal('ops');
    expect(await page.getByLabel('Channels: value 1').inputValue()).to.equal('');
    await shown.check('providers-stored-change');
  });

  it('take lists with secrets by fields, and show errors of the server at them', async () => {
    const { page } = shown;
    await shown.go('/providers/new?adapter=http/client');
    await page.getByLabel('Name', { exact: true }).fill('web');
    await button('Review').click();
    await page.getByRole('alert').getByText('Required').waitFor();
    await page.getByRole('button', { name: 'Add to Hosts' }).click();
    const row = page.getByRole('group', { name: 'Hosts that may be called: 1' });
    await row.getByLabel('Host', { exact: true }).fill('10.0.0.9');
    await row.getByLabel('Headers with credentials: name 1').fill('authorization');
    expect(await row.getByLabel('Headers with credentials: value 1').getAttribute('type')).to.equal('password');
    await row.getByLabel('Headers with credentials: value 1').fill('Bearer hidden-52');
    await button('Review').click();
    expect(await dialog().innerText())
      .to.include('/allow/0/headers/authorization')
      .and.not.include('hidden-52');
    await button('Add provider').click();
    await enterKey();
    await row.getByText('private_hosts').waitFor();
    await refused();
    await row.getByLabel('Host', { exact: true }).fill('api.example.org');
    await button('Review').click();
    await button('Add provider').click();
    await enterKey();
    await page.getByRole('heading', { level: 1, name: 'web is in the store' }).waitFor();
    expect((await get('web')).body.config.allow).to.deep.equal([{ host: 'api.example.org', headers: {} }]);
    await shown.go('/providers/stored/web?change=yes');
    await row.waitFor();
    expect(await row.getByLabel('Headers with credentials: name 1').inputValue()).to.equal('authorization');
    expect(await row.getByLabel('Headers with credentials: value 1').inputValue()).to.equal('');
    await shown.check('providers-stored-list');
  });

  it('show what a reload of platform.json would change before it does', async () => {
    const { page } = shown;
    const path = join(site.platform.home, 'data/platform.json');
    const file = JSON.parse(readFileSync(path, 'utf8')) as { providers: Record<string, object> };
    file.providers['spare'] = { adapter: 'email/outbox' };
    writeFileSync(path, JSON.stringify(file));
    await shown.go('/providers');
    await button('Reload platform.json').click();
    await dialog().getByRole('row').filter({ hasText: 'spare' }).getByText('added').waitFor();
    expect((await get('spare')).status).to.equal(404);
    await shown.check('providers-reload-preview');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(shown.faults).to.deep.equal([]);
  });
});
