import { expect } from 'chai';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

describe('the keys of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  before(async function () {
    site = await startConsole(this);
    shown = await site.open('/keys');
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });

  const authorized = async (key: string) => (await site.platform.call('GET', '/keys/self', undefined, key)).status;

  it('are made by mouse: shown once, copied, then gone', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('invoices');
    // Some scopes are of the installation, and `*` is more than that.
    const marked = page.locator('label').filter({ hasText: 'all tenants' });
    expect(await marked.filter({ hasText: 'orbs:manage' }).count()).to.be.above(0);
    expect(await marked.filter({ hasText: /^\*/ }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Application' }).click();
    await page.getByLabel('Only these Orbs').fill('demo.* notify.email@1.0.0');
    await shown.check('keys-new');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const key = (await dialog.getByRole('region', { name: 'key' }).textContent())?.trim() ?? '';
    expect(key).to.match(/^orb_live_\w{38}$/);
    await shown.check('keys-once');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { level: 1, name: 'invoices' }).waitFor();
    expect(await page.content()).not.to.include(key);
    const { body } = await site.platform.call('GET', '/keys/self', undefined, key);
    expect(body.scopes).to.have.members([
      ...['orbs:execute:demo.*', 'orbs:execute:notify.email@1.0.0', 'orbs:read', 'runs:cancel'],
    ]);
    expect(Date.parse(body.expires_at) - Date.now()).to.be.closeTo(90 * 86_400_000, 60_000);
    await shown.check('keys-one');
  });

  it('are rotated and revoked by mouse: the successor serves the same principal', async () => {
    const { page } = shown;
    const { body: old } = await site.platform.call('POST', '/keys', { name: 'nightly', scopes: ['orbs:execute'] });
    await shown.go(`/keys/${old.key_id}`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel(/Type “rotate”/).fill('rotate');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('Copy the key now').waitFor();
    const key = (await page.getByRole('dialog').getByRole('region', { name: 'key' }).textContent())?.trim() ?? '';
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('The new key is').waitFor();
    const { body: next } = await site.platform.call('GET', '/keys/self', undefined, key);
    expect([next.principal, await authorized(old.key)]).to.deep.equal([old.principal, 200]);
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Revoke', exact: true }).isDisabled()).to.equal(true);
    await dialog.getByLabel(/Type “revoke”/).fill('revoke');
    await shown.check('keys-revoke');
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect([await authorized(old.key), await authorized(key)]).to.deep.equal([401, 200]);
  });

  it('are made and revoked by keyboard alone', async () => {
    const { page } = shown;
    await shown.go('/');
    await shown.keys('g', 'k');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.getByRole('link', { name: 'New key' }).focus();
    await shown.keys('Enter');
    // A navigation moves the focus to the heading.
    await page.locator('h1:focus', { hasText: 'New key' }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).focus();
    await page.keyboard.type('by keyboard');
    await page.getByRole('checkbox', { name: 'runs:read' }).focus();
    await shown.keys('Space');
    await page.getByRole('textbox', { name: 'Name' }).focus();
    await page.locator('main button[type=submit]:enabled').waitFor();
    await shown.keys('Enter');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).focus();
    await shown.keys('Enter');
    await page.getByRole('heading', { level: 1, name: 'by keyboard' }).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).focus();
    await shown.keys('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.getByLabel(/Type “revoke”/).focus();
    await page.keyboard.type('revoke');
    await page.locator('dialog button[type=submit]:enabled').waitFor();
    await shown.keys('Enter');
    await page.getByText('revoked', { exact: true }).waitFor();
  });

  it('are listed, and those that ended only when they are asked for', async () => {
    const { page } = shown;
    await shown.go('/keys');
    await page.getByRole('link', { name: 'invoices' }).waitFor();
    expect(await page.getByRole('link', { name: 'by keyboard' }).count()).to.equal(0);
    await page.getByLabel(/Show revoked/).check();
    await page.getByRole('link', { name: 'by keyboard' }).waitFor();
    await shown.check('keys');
  });

  it('are read on while all that were read have ended', async () => {
    const made = await site.platform.key({ name: 'crowd', scopes: ['keys:manage', 'runs:read'], tenant: 'crowd' });
    for (let count = 0; count < 51; count += 1) {
      const { body } = await site.platform.call('POST', '/keys', { name: 'gone', scopes: ['runs:read'] }, made);
      await site.platform.call('DELETE', `/keys/${body.key_id}`, undefined, made);
    }
    const other = await site.open('/keys', made);
    await other.page.getByRole('link', { name: 'crowd' }).waitFor();
    await other.page.getByLabel('Show revoked and expired keys (51)').waitFor();
    expect(other.faults).to.deep.equal([]);
    await other.close();
  });

  it('that sign are rotated with the key typed again, which is not kept', async () => {
    const { page } = shown;
    const rows = page.getByRole('region', { name: 'Signing keys' }).getByRole('row');
    const before = await rows.count();
    await rows.filter({ hasText: 'Certificates' }).getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel(/Type “rotate”/).fill('rotate');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByLabel('API key').fill(site.platform.adminKey);
    await shown.keys('Enter');
    await page.getByText('retired').waitFor();
    expect(await rows.count()).to.equal(before + 1);
    expect(await page.content()).not.to.include(site.platform.adminKey);
    await shown.check('keys-signing');
  });

  it('show a key no more than it may manage', async () => {
    const key = await site.platform.key({ name: 'some', scopes: ['keys:manage', 'runs:read'] });
    const other = await site.open('/keys/new', key);
    await other.page.getByRole('checkbox', { name: 'runs:read' }).waitFor();
    expect(await other.page.getByRole('checkbox', { name: 'providers:swap' }).count()).to.equal(0);
    expect(await other.page.getByText(/A key with more scopes can grant/).count()).to.equal(1);
    expect(other.faults).to.deep.equal([]);
    await other.close();
  });
});
