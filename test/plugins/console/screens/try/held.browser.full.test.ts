import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { browserOrSkip } from '../../../../helpers/browser.ts';
import { ask, startApproving, type Approving } from '../../../approvals/started.ts';
import { openWindow, signIn, type ConsoleWindow } from '../../helpers.ts';

describe('a run that is tried, and that people must approve', function () {
  this.timeout(120_000);
  let browser: Browser;
  let office: Approving;
  let shown: ConsoleWindow;
  before(async function () {
    browser = await browserOrSkip(this);
    office = await startApproving((ids) => ({ groups: { office: [ids.ada, ids.bob] } }));
    shown = await openWindow(office.platform(), browser);
    await signIn(shown.page, office.platform(), office.platform().adminKey);
    await shown.go('/try?orb_id=demo.echo%401.0.0');
  });
  after(async () => {
    await browser?.close();
    await office?.stop();
  });
  const result = () => shown.page.getByRole('region', { name: 'Result' });

  it('says in a dry run who would be asked', async () => {
    office.asking.asks = [ask()];
    await shown.page.getByLabel('text', { exact: true }).fill('held');
    await shown.page.getByRole('button', { name: 'Dry run' }).click();
    await result().getByText('People must approve it first.').waitFor();
    await result().getByText('office').waitFor();
  });

  it('is held, leads to its approval, and shows its outputs and its receipt once it was approved', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Run the test' }).click();
    await result().getByText('Asked: office.').waitFor();
    await shown.check('try-held');
    const href = await result().getByRole('link', { name: 'Open the approval' }).getAttribute('href');
    const id = href?.split('/').at(-1) ?? '';
    const decided = await office.decide(id, 'ada');
    expect(decided.status, JSON.stringify(decided.body)).to.equal(200);
    await result().getByText('completed').waitFor();
    await result().getByRole('region', { name: 'outputs' }).getByText('held').waitFor();
    expect(await result().getByRole('link', { name: /^rec_/ }).getAttribute('href')).to.match(
      /\/console\/receipts\/rec_/,
    );
    expect(shown.faults).to.deep.equal([]);
  });
});
