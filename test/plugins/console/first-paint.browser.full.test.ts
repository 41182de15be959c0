import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { openWindow, signIn, startConsole, type ConsoleSite } from './helpers.ts';

describe('the first paint of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  before(async function () {
    site = await startConsole(this, { platform: { site: { name: 'Acme Orbs' } } });
  });
  after(() => site?.close());

  it('waits for no data: the frame first, then each screen, while every answer of the API is held back', async () => {
    const { page, faults, close } = await openWindow(site.platform, site.browser);
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    let waiting = 0;
    await page.goto(`${site.platform.url}/console`);
    await signIn(page, site.platform, site.platform.adminKey);
    const hold = async (): Promise<void> => {
      await page.route('**/*', async (route) => {
        if (route.request().resourceType() === 'fetch') {
          waiting += 1;
          await held;
        }
        await route.continue();
      });
    };
    // The home, which reads again when its stream opens, is left first.
    await page.goto('about:blank');
    await hold();
    await page.goto(`${site.platform.url}/console/runs`);
    await page.getByRole('banner').getByText('Acme Orbs').waitFor();
    expect(waiting, 'the session was asked for').to.equal(1);
    await until(
      () => page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint').length`),
      (painted) => painted === 1,
      'the first paint',
    );
    await page.unroute('**/*');
    release(undefined);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    const tabs = page.getByRole('navigation', { name: 'Console' }).first().getByRole('link');
    const titles = await tabs.allTextContents();
    expect(titles).to.have.lengthOf(23);
    await page.route('**/*', (route) => (route.request().resourceType() === 'fetch' ? undefined : route.continue()));
    for (const title of titles) {
      await page
        .getByRole('navigation', { name: 'Console' })
        .first()
        .getByRole('link', { name: title, exact: true })
        .click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    }
    expect(faults).to.deep.equal([]);
    await close();
  });
});
