import { expect } from 'chai';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const dead = {
  ...{ name: 'b', incarnation: '0'.repeat(16), state: 'dead', serving: false, health: 'down', version: '1.0.0' },
  ...{ joined_at: '2026-11-23T10:00:00.000Z', lease_until: '2026-11-23T11:00:00.000Z', behind: 3 },
};

describe('the nodes and settings of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  before(async function () {
    site = await startConsole(this, {
      platform: {
        drain_ms: 1000,
        providers: { outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } },
        plugins: { approvals: { config: { open_per_group: 3 } } },
      },
      env: { ORB_PUBLIC_URL: 'https://orb.example.com', ORB_MASTER_KEY: '7f'.repeat(32) },
    });
    shown = await site.open('/nodes');
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });

  it('show the node that serves, with its version', async () => {
    const { page } = shown;
    const { nodes } = (await site.platform.call('GET', '/nodes')).body;
    const row = page.getByRole('row', { name: nodes[0].name });
    await row.getByText('live').waitFor();
    expect(await row.innerText())
      .to.contain(nodes[0].version)
      .and.contain('up');
    expect(await page.getByRole('button', { name: 'Remove' }).count()).to.equal(0);
    await shown.check('nodes');
  });

  it('remove a dead node by its name, with the key entered again', async () => {
    const { page } = shown;
    const { body } = await site.platform.call('GET', '/nodes');
    const leading = { ...body.nodes[0], roles: ['look-ups', 'schedules'] };
    await page.route('**/nodes', (route) => route.fulfill({ json: { nodes: [leading, dead] } }));
    const sent: object[] = [];
    await page.route('**/nodes/b/leave', (route) => {
      sent.push({ body: route.request().postDataJSON(), key: route.request().headers()['authorization'] });
      return route.fulfill({ json: { ...dead, state: 'left' } });
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('cell', { name: 'look-ups, schedules' }).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).to.equal(true);
    await dialog.getByLabel(/Type “b”/).fill('b');
    await shown.check('nodes-remove');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('API key').fill(site.platform.adminKey);
    await page.getByLabel('API key').press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(sent).to.deep.equal([{ body: { confirm: 'b' }, key: `Bearer ${site.platform.adminKey}` }]);
    await page.unroute('**/nodes');
  });

  it('show each setting with its origin, and no secret', async () => {
    const { page } = shown;
    await shown.go('/settings');
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
    await row('drain_ms').waitFor();
    for (const [name, value, from] of [
      ['drain_ms', '1000', 'platform.json'],
      ['public_url', '"https://orb.example.com"', 'variable ORB_PUBLIC_URL'],
      ['swap_drain_ms', '30000', 'default'],
      ['ORB_MASTER_KEY', 'hidden', 'variable ORB_MASTER_KEY'],
      ['plugins.approvals.open_per_group', '3', 'platform.json'],
      ['providers.outbox.adapter', '"email/outbox"', 'platform.json'],
    ] as const)
      expect((await row(name).innerText()).replace(/\s+/g, ' '), name).to.contain(`${value} ${from}`);
    expect(await page.content()).not.to.include('7f7f7f');
    await shown.check('settings');
  });

  it('filter by text, part and source, which the address keeps', async () => {
    const { page } = shown;
    const rows = page.getByRole('region', { name: 'Settings' }).locator('tbody tr');
    await page.getByLabel('Source').selectOption('file');
    await page.getByLabel('Part').selectOption('plugins.approvals');
    expect(page.url()).to.contain('part=plugins.approvals').and.contain('source=file');
    await rows.filter({ hasText: 'open_per_group' }).waitFor();
    expect(await rows.count()).to.equal(1);
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it');
    await page.getByRole('heading', { name: 'No settings match the filters' }).waitFor();
    await page.getByRole('link', { name: 'Show all settings' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).fill('swap_drain');
    await rows.filter({ hasText: 'swap_drain_ms' }).waitFor();
    expect(await rows.count()).to.equal(1);
  });

  it('lead to the keys that sign, which can be rotated there', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'keys and signing keys' }).click();
    const table = page.getByRole('region', { name: 'Signing keys' });
    await table.getByRole('button', { name: 'Rotate' }).first().waitFor();
  });
});
