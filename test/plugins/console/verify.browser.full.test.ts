import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { openWindow, signIn, startConsole, type ConsoleSite } from './helpers.ts';

describe('the page that verifies, for who is signed in to the console', function () {
  this.timeout(60_000);
  let site: ConsoleSite;
  let receiptId: string;
  before(async function () {
    site = await startConsole(this);
    const { platform } = site;
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } };
    receiptId = (await platform.call('POST', '/orbisets/default/execute', body)).body.receipt.receipt_id;
  });
  after(() => site?.close());

  it('looks a receipt up without a key, and says what to do without a session', async () => {
    const { page, faults, close } = await openWindow(site.platform, site.browser);
    const lookUp = async (): Promise<void> => {
      await page.goto(`${site.platform.url}/verify?by=id`);
      await page.getByLabel('Id of the receipt').fill(receiptId);
      await page.keyboard.press('Enter');
    };
    await lookUp();
    await page.getByText(/^401: /).waitFor();
    await until(
      () => faults.length,
      (count) => count > 0,
    );
    expect(faults.splice(0).join()).to.match(/status of 401 .*\/receipts\//);
    await page.goto(`${site.platform.url}/console`);
    await signIn(page, site.platform, site.platform.adminKey);
    await lookUp();
    await page.locator('.overall').waitFor();
    expect(await page.locator('.overall').textContent()).to.equal('VERIFIED');
    expect(faults).to.deep.equal([]);
    await close();
  });
});
