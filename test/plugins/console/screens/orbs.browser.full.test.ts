import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const echo = 'demo.echo@1.0.0';
const own = 'acme.hello@1.0.0';

describe('the Orbs of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  before(async function () {
    site = await startConsole(this, {
      data: { 'orbisets/team.json': { id: 'team', tenant: 'default', orbs: [echo] } },
    });
    const { platform } = site;
    await platform.call('POST', '/orbisets/default/execute', { orb_id: echo, inputs: { text: 'hello' } });
    await platform.key({ name: 'echo only', scopes: ['orbs:execute:demo.*'] });
    await platform.call('POST', '/orbisets/default/schedules', {
      orb_id: echo,
      cron: '0 9 * * 1-5',
      inputs: { text: 'a' },
    });
    shown = await site.open('/orbs');
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });

  const facts = () => shown.page.locator('dl.facts');
  const editor = () => shown.page.getByLabel('Manifest', { exact: true });
  /** Waits for the dialog, and presses its button. */
  const confirm = (name: string) => shown.page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  // The browser itself reports refused calls.
  const refusals = async (status: number): Promise<void> => {
    await until(
      () => shown.faults.length,
      (count) => count > 0,
    );
    expect(shown.faults.splice(0).filter((fault) => !fault.includes(`status of ${status}`))).to.deep.equal([]);
  };

  it('are a list with what each does, who serves it, its runs and its score', async () => {
    const { page } = shown;
    const row = page.getByRole('row').filter({ hasText: echo });
    await row.filter({ hasText: /Echo[\s\S]*echo[\s\S]*none/ }).waitFor();
    await until(
      () => row.innerText(),
      (text) => /\b1\b/.test(text.replace(echo, '')),
      'the run of today',
    );
    await shown.check('orbs');
    await row.getByRole('link', { name: 'Echo', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Echo' }).waitFor();
  });

  it('show one: its contract, providers, reputation, where it is used, and its last runs', async () => {
    const { page } = shown;
    for (const word of ['team', '0 9 * * 1-5', 'echo only', 'orbs:execute:demo.*'])
      await facts().filter({ hasText: word }).first().waitFor();
    await page.getByRole('region', { name: 'Last runs' }).getByText('completed').waitFor();
    await page.getByRole('region', { name: 'Inputs' }).getByRole('row').filter({ hasText: 'text' }).waitFor();
    await page.getByText('The manifest as JSON').click();
    await page.getByRole('region', { name: 'manifest', exact: true }).getByText('"manifest_version": 1').waitFor();
    // A manifest in a file is changed there.
    expect(await page.getByRole('button', { name: 'Delete' }).count()).to.equal(0);
    await page.getByText('data/orbs/demo.echo@1.0.0.json').waitFor();
    await shown.check('orb');
    await page.getByRole('link', { name: 'Try it', exact: true }).last().click();
    expect(page.url()).to.include(encodeURIComponent(echo));
  });

  it('are added by keyboard alone: faults by line first, then the difference, then the Orb', async () => {
    const { page } = shown;
    await shown.go('/orbs');
    await page.getByRole('link', { name: 'New Orb' }).focus();
    await shown.keys('Enter');
    const text = await editor().inputValue();
    await editor().fill(text.replace('"effect": "none",', '"effect": "none"'));
    await page.getByRole('button', { name: /^manifest:\d+:\d+$/ }).waitFor();
    await shown.check('orb-malformed');
    await editor().fill(text.replace('"action_class": "read"', '"action_class": "reads"'));
    await page.getByRole('button', { name: 'Review and save' }).focus();
    await shown.keys('Enter');
    await page.getByRole('dialog').getByText('+  "orb_id": "acme.hello@1.0.0",').waitFor();
    await shown.check('orb-review');
    await confirm('Save');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await shown.keys('Escape');
    const place = page.getByRole('button', { name: /^manifest:\d+:1$/ });
    await place.first().focus();
    await shown.keys('Enter');
    expect(
      await editor().evaluate((field) =>
        (field as unknown as { value: string; selectionStart: number; selectionEnd: number }).value.slice(
          (field as never)['selectionStart'],
          (field as never)['selectionEnd'],
        ),
      ),
    ).to.include('"reads"');
    await refusals(422);
    await editor().fill(text);
    await page.getByRole('button', { name: 'Review and save' }).focus();
    await shown.keys('Enter');
    await confirm('Save');
    await page.getByRole('heading', { level: 1, name: 'Say hello' }).waitFor();
    const { status, body } = await site.platform.call('GET', `/orbs/${own}`);
    expect([status, body.source, body.manifest.effect]).to.deep.equal([200, 'api', 'none']);
  });

  it('are changed, but not over the change of another user', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await editor().fill((await editor().inputValue()).replace('Say hello', 'Say hello twice'));
    const { manifest } = (await site.platform.call('GET', `/orbs/${own}`)).body;
    await site.platform.call('PUT', `/orbs/${own}`, { ...manifest, timeout_ms: 6000 });
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('+  "title": "Say hello twice",').waitFor();
    await confirm('Save');
    await page.getByRole('dialog').getByRole('alert').getByText('precondition_failed').waitFor();
    await page.getByRole('dialog').getByText('-  "timeout_ms": 6000').waitFor();
    await refusals(412);
    expect((await site.platform.call('GET', `/orbs/${own}`)).body.manifest.title).to.equal('Say hello');
    await confirm('Save');
    await page.getByRole('heading', { level: 1, name: 'Say hello twice' }).waitFor();
  });

  it('get a new version, whose text is kept while the user looks elsewhere', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'New version' }).click();
    await until(
      () => editor().inputValue(),
      (text) => text.includes('acme.hello@1.0.1'),
    );
    await editor().fill((await editor().inputValue()).replace('1.0.1', '1.1.0'));
    await shown.go('/orbs');
    await shown.go(`/orbs/-/new?from=${own}`);
    await until(
      () => editor().inputValue(),
      (text) => text.includes('acme.hello@1.1.0'),
    );
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    expect(await editor().inputValue()).to.include('acme.hello@1.0.1');
  });

  it('are deleted after a word, and what refers to them is named first', async () => {
    const { page } = shown;
    await shown.go(`/orbs/${encodeURIComponent(own)}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('default').first().waitFor();
    await shown.check('orb-delete');
    const button = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true });
    expect(await button.isDisabled()).to.equal(true);
    await page.getByLabel(/to confirm/).fill(own);
    await button.click();
    await page.getByRole('heading', { level: 1, name: 'Orbs', exact: true }).waitFor();
    expect((await site.platform.call('GET', `/orbs/${own}`)).status).to.equal(404);
  });

  it('run in Orbisets: a list, and one with its limits and what depends on it', async () => {
    const { page } = shown;
    await page.locator('main').getByRole('link', { name: 'Orbisets', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'team' }).waitFor();
    await shown.check('orbisets');
    await page.getByRole('link', { name: 'default', exact: true }).click();
    await facts().filter({ hasText: '0 9 * * 1-5' }).waitFor();
    await page.getByRole('region', { name: 'Orbs that may run here' }).getByText(echo).waitFor();
    await shown.check('orbiset');
  });

  it('get an Orbiset, which is changed and deleted', async () => {
    const { page } = shown;
    await shown.go('/orbisets');
    await page.getByRole('link', { name: 'New Orbiset' }).click();
    await editor().fill('{"id": "crew", "orbs": ["demo.*"]}');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await confirm('Save');
    await page.getByRole('heading', { level: 1, name: 'crew' }).waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await until(
      () => editor().inputValue(),
      (text) => text.includes('"tenant"'),
    );
    await editor().fill((await editor().inputValue()).replace('"demo.*"', '"demo.*", "notify.*"'));
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('+    "notify.*"').waitFor();
    await confirm('Save');
    await facts().filter({ hasText: 'notify.*' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel(/to confirm/).fill('crew');
    await confirm('Delete');
    await page.getByRole('heading', { level: 1, name: 'Orbisets' }).waitFor();
    expect((await site.platform.call('GET', '/orbisets/crew')).status).to.equal(404);
    expect(shown.faults).to.deep.equal([]);
  });

  it('show a key that only reads no way to change them', async () => {
    const reader = await site.platform.key({ name: 'reader', scopes: ['orbs:read'] });
    const narrow = await site.open(`/orbs/${encodeURIComponent(echo)}`, reader);
    await narrow.page.getByRole('heading', { level: 1, name: 'Echo' }).waitFor();
    await narrow.page.getByRole('link', { name: 'team' }).waitFor();
    for (const name of ['Edit', 'New version', 'Try it'])
      expect(await narrow.page.locator('main').getByRole('link', { name, exact: true }).count(), name).to.equal(0);
    await narrow.check('orb-narrow');
    await narrow.close();
  });
});
