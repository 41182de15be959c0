import type { Page } from 'playwright-core';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

describe('the lists of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  let page: Page;
  before(async function () {
    site = await startConsole(this);
  });
  beforeEach(async () => {
    shown = await site.open();
    page = shown.page;
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    // Rows wait while the pointer is where the sign-in left it.
    await page.mouse.move(0, 0);
  });
  afterEach(() => shown?.close());
  after(() => site?.close());

  const run = () =>
    site.platform.call('POST', '/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } });

  it('show what happened between the first reading and the opening of the stream', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await page.route(
      ({ pathname }) => pathname === '/events',
      async (route) => {
        await promise;
        await route.continue();
      },
    );
    await shown.go('/runs');
    await page.getByText('Nothing has run yet').waitFor();
    const { body } = await run();
    resolve(undefined);
    await page.getByRole('link', { name: String(body.run_id) }).waitFor();
  });
});
