import { expect } from 'chai';
import { isQuiet, startConsole, type ConsoleSite } from './helpers.ts';

const optional = [
  'ingestion',
  'ledger',
  'marketplace',
  'mcp',
  'observability',
  'schedules',
  'stored-providers',
  'subscriptions',
];

describe('the console where plugins are left out', function () {
  this.timeout(60_000);
  let site: ConsoleSite;
  before(async function () {
    const plugins = Object.fromEntries(optional.map((name) => [name, false]));
    site = await startConsole(this, { platform: { plugins } });
  });
  after(() => site?.close());

  it('lacks their tabs, and every tab that is left shows its screen', async () => {
    const { page, faults, close } = await site.open();
    const tabs = page.getByRole('navigation', { name: 'Console' }).first().getByRole('link');
    const titles = await tabs.allTextContents();
    expect(titles).to.include.members(['Runs', 'Keys']);
    expect(titles).not.to.include.members(['Incidents']);
    expect(titles).not.to.include.members(['Sources']);
    expect(titles).not.to.include.members(['Reputation']);
    for (const title of titles) {
      await page
        .getByRole('navigation', { name: 'Console' })
        .first()
        .getByRole('link', { name: title, exact: true })
        .click();
      await isQuiet(page);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByRole('alert').count(), title).to.equal(0);
    }
    expect(faults).to.deep.equal([]);
    await close();
  });
});

describe('the screens of models of the console without their plugins', function () {
  this.timeout(60_000);
  let site: ConsoleSite;
  before(async function () {
    site = await startConsole(this, { platform: { plugins: { models: false, budgets: false } } });
  });
  after(() => site?.close());

  it('say so, or are not there', async () => {
    const { page, close } = await site.open('/models');
    await page.getByText('The plugin models is not loaded').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Console' }).first();
    expect(await tabs.getByRole('link', { name: 'Usage' }).count()).to.equal(0);
    await close();
  });
});
