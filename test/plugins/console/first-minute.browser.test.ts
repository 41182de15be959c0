import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { browserOrSkip } from '../../helpers/browser.ts';
import { createServed, type Served } from '../../helpers/served.ts';

describe("a newcomer's minute", function () {
  let served: Served;
  let browser: Browser;
  before(async function () {
    browser = await browserOrSkip(this);
    served = createServed();
  });
  after(async () => {
    await browser?.close();
    await served?.stop();
    await served?.remove();
  });

  it('start, open the printed link, see the first steps, run the first Orb, see its receipt verified in the browser', async () => {
    const { url } = await served.start();
    const { status, stdout, stderr } = served.orb('console', 'open');
    expect(status, stderr).to.equal(0);
    // The server took a free port, which its own links do not know.
    const link = stdout.trim().replace(/^http:\/\/127\.0\.0\.1:0/, url);
    const page = await (await browser.newContext()).newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    await page.goto(`${url}/console`);
    await page.getByLabel('API key').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('signs this browser in with the key').waitFor();
    expect(page.url()).to.equal(`${url}/console`);
    await page.getByRole('button', { name: 'Sign in as admin' }).click();
    const step = page.locator('.first-steps li').filter({ hasText: 'Run an Orb' });
    await step.getByText('to do').waitFor();
    await step.getByRole('link').click();
    await page.getByLabel('text').fill('hello');
    await page.getByRole('button', { name: 'Run the test' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('completed').waitFor();
    await result.getByRole('link', { name: /^rec_/ }).click();
    await page
      .getByText(/^VERIFIED/)
      .first()
      .waitFor();
    expect(faults).to.deep.equal([]);
    // It is used up, for another browser too.
    const other = await (await browser.newContext()).newPage();
    await other.goto(link);
    await other.getByText('A link works once').waitFor();
    const gone = [other.getByRole('button', { name: 'Sign in as admin' }), other.getByText('Checking the link')];
    expect(await Promise.all(gone.map((one) => one.count()))).to.deep.equal([0, 0]);
  }).timeout(60_000);
});
