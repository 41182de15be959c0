import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { componentNames } from '../../../../plugins/ingestion/contract.ts';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

describe('the sources of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  let id = '';
  let hook = '';
  let secret = '';
  before(async function () {
    site = await startConsole(this);
    shown = await site.open('/sources');
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });
  const textOf = async (label: string) =>
    ((await shown.page.getByRole('region', { name: label, exact: true }).first().textContent()) ?? '').trim();
  const source = async () => (await site.platform.call('GET', `/sources/${id}`)).body;
  const confirm = async (act: string, word?: string) => {
    const dialog = shown.page.getByRole('dialog');
    if (word !== undefined) await dialog.getByLabel(/^Type /).fill(word);
    await dialog.getByRole('button', { name: act, exact: true }).click();
  };

  it('are made by mouse, with what to enter at the vendor before and after; address and secret are shown once', async () => {
    const { page } = shown;
    await page.getByText('No sources yet').waitFor();
    await shown.check('sources-empty');
    await page.getByRole('link', { name: 'New source' }).click();
    await page.getByLabel('Name', { exact: true }).fill('On call');
    await page.getByLabel('Vendor', { exact: true }).selectOption('alertmanager');
    await page.getByText(`Components of the status page: ${componentNames.join(', ')}.`).waitFor();
    await page.getByLabel('Components').fill('runtime reputation_ledger');
    expect(await page.getByRole('region', { name: 'At the vendor' }).innerText()).to.include('{source_token}');
    await shown.check('sources-new');
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByRole('heading', { level: 1, name: 'On call is ready' }).waitFor();
    hook = new URL(await textOf('address')).pathname;
    secret = await textOf('secret');
    await shown.check('sources-once');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await confirm('Send a test');
    await page.getByRole('heading', { level: 1, name: 'Delivery' }).waitFor();
    await page.getByText('done', { exact: true }).waitFor();
    await page.getByText('No changes').waitFor();
    expect(await page.content())
      .not.to.include(secret)
      .and.not.include(hook);
    await shown.check('sources-delivery');
    const { sources } = (await site.platform.call('GET', '/sources')).body;
    id = sources[0].source_id as string;
    expect(sources[0].may_name.components).to.deep.equal(['runtime', 'reputation_ledger']);
  });

  it('show dead letters, what reading them again would change, and read them again', async () => {
    const { page } = shown;
    const sent = await fetch(site.platform.url + hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: '{"what": "is this"}',
    });
    expect(sent.status).to.equal(202);
    const dead = async () => (await site.platform.call('GET', '/deliveries?state=dead')).body.deliveries as object[];
    await until(dead, (found) => found.length === 1, 'a dead letter');
    await shown.go('/sources');
    const letters = page.getByRole('region', { name: 'Dead letters' });
    await letters.getByRole('link', { name: 'On call' }).waitFor();
    await shown.check('sources');
    await page.getByRole('button', { name: 'Replay all' }).click();
    await page.getByText('1 delivery will be replayed.').waitFor();
    await confirm('Replay all');
    await until(dead, (found) => found.length === 1, 'the same dead letter');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await letters.locator('td a, th a').first().click();
    await page.getByText('Dead letter:', { exact: true }).waitFor();
    await page.getByText('It would become a dead letter').waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await confirm('Replay');
    await page.getByText('Dead letter:', { exact: true }).waitFor();
    await shown.check('sources-dead');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the body' }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/^dlv_/);
    expect(await readFile(await download.path(), 'utf8')).to.equal('{"what": "is this"}');
  });

  it('are tested, paused and removed by keyboard alone', async () => {
    const { page } = shown;
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).first().focus();
      await shown.keys('Enter');
      await page.locator('dialog[open]').waitFor();
    };
    const act = async (name: string, word?: string) => {
      await press(name);
      if (word !== undefined) {
        await page.getByLabel(/^Type /).focus();
        await page.keyboard.type(word);
      }
      await page.locator('dialog button[type=submit]:enabled').focus();
      await shown.keys('Enter');
    };
    await shown.go('/');
    await shown.keys('g', 's');
    await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
    await page.getByRole('link', { name: 'On call' }).first().focus();
    await shown.keys('Enter');
    await act('Pause');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await source()).paused).to.equal(true);
    await shown.check('sources-one');
    await act('Resume');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await act('Send a test');
    await page.getByRole('heading', { level: 1, name: 'Delivery' }).waitFor();
    await page.getByRole('link', { name: /Source$/ }).focus();
    await shown.keys('Enter');
    await act('Remove', 'remove');
    await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
    expect((await site.platform.call('GET', `/sources/${id}`)).status).to.equal(404);
    expect(shown.faults).to.deep.equal([]);
  });

  it('get a new secret and a new address, each shown once', async () => {
    const { page } = shown;
    const { body: made } = await site.platform.call('POST', '/sources', { name: 'Pager', vendor: 'pagerduty' });
    await shown.go(`/sources/${made.source.source_id}`);
    await page.getByRole('button', { name: 'Add a secret' }).click();
    await confirm('Add a secret');
    await page.getByRole('button', { name: 'I have saved it' }).waitFor();
    expect(await textOf('secret')).not.to.equal('');
    await shown.check('sources-secret');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const secrets = async () => (await site.platform.call('GET', `/sources/${made.source.source_id}`)).body.secrets;
    const [first, second] = await secrets();
    await page
      .locator('dd div')
      .filter({ hasText: `Version ${first.version},` })
      .getByRole('button')
      .click();
    await page.getByRole('heading', { name: `Remove the secret of version ${first.version}` }).waitFor();
    await confirm('Remove', 'remove');
    await until(secrets, (left) => left.length === 1, 'the removal');
    expect((await secrets())[0].version).to.equal(second.version);
    await page.getByRole('button', { name: 'New address' }).click();
    await confirm('New address', 'renew');
    await page.getByRole('button', { name: 'I have saved it' }).waitFor();
    expect(await textOf('address'))
      .to.match(/\/hooks\/[\w-]{43}$/)
      .and.not.equal(made.url);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(shown.faults).to.deep.equal([]);
  });
});
