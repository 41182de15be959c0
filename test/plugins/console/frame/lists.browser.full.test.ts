import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

/** A page of runs as the API answers it. */
interface RunPage {
  readonly runs: readonly object[];
  readonly next_cursor?: string;
}

const some = (...ids: readonly number[]) =>
  ids.map((id) => ({ run_id: `run_${id}`, status: 'completed', orb_id: 'demo.echo@1.0.0', orbiset_id: 'default' }));
const never = new Promise<RunPage>(() => undefined);

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
  const live = () => page.getByText('Live', { exact: true }).waitFor();
  const row = (id: number) => page.getByRole('link', { name: `run_${id}`, exact: true });
  const ids = () => page.locator('tbody a.id').evaluateAll((links) => links.map((link) => link.title));

  // What has arrived is drawn in the second frame at the latest.
  const drawn = () =>
    page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

  // Answers the lists of runs, in place of the server; `asked` counts how often this same page was asked for.
  const answerRuns = async (answer: (query: URLSearchParams, asked: number) => RunPage | Promise<RunPage>) => {
    const asked: string[] = [];
    await page.route(
      ({ pathname }) => pathname === '/runs',
      async (route) => {
        const { search, searchParams } = new URL(route.request().url());
        asked.push(search);
        const json = await answer(searchParams, asked.filter((one) => one === search).length);
        // A list that is no longer shown may have given up.
        await route.fulfill({ json }).catch(() => undefined);
      },
    );
    return asked;
  };

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
    await page.getByText('No runs yet').waitFor();
    const { body } = await run();
    resolve(undefined);
    await page.getByRole('link', { name: String(body.run_id) }).waitFor();
  });

  it('drop what no longer fits, and while the reader is in them only when asked', async () => {
    const opened = async (title: string): Promise<string> => {
      const scope = [{ kind: 'component', id: 'runtime' }];
      const { body } = await site.platform.call('POST', '/incidents', { title, severity: 'warning', scope });
      await page.getByRole('link', { name: title }).waitFor();
      return String(body.incident_id);
    };
    const resolved = (id: string) => site.platform.call('POST', `/incidents/${id}/resolve`, { reason: 'mended' });
    await shown.go('/incidents');
    await live();
    await resolved(await opened('Slow'));
    await page.getByText('No incidents match the filters').waitFor();
    const id = await opened('Down');
    const down = page.getByRole('link', { name: 'Down' });
    await down.hover();
    const place = await down.boundingBox();
    await resolved(id);
    await page.getByRole('button', { name: 'Update the list' }).waitFor();
    expect(await down.boundingBox()).to.deep.equal(place);
    await shown.check('list-outdated');
    await page.getByRole('button', { name: 'Update the list' }).click();
    await page.getByText('No incidents match the filters').waitFor();
  });

  it('begin again when more came than a page holds', async () => {
    await answerRuns((query, asked) => {
      if (query.get('cursor') === '8') return { runs: some(7) };
      return asked <= 2 ? { runs: some(3, 2), next_cursor: '2' } : { runs: some(9, 8), next_cursor: '8' };
    });
    await shown.go('/runs');
    await live();
    await row(3).hover();
    await run();
    await page.getByRole('button', { name: 'Show 2 new runs' }).click();
    await row(9).waitFor();
    expect(await ids()).to.deep.equal(['run_9', 'run_8']);
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await row(7).waitFor();
    expect(await ids()).to.deep.equal(['run_9', 'run_8', 'run_7']);
  });

  it('read the next page once, however often it is asked for', async () => {
    const { promise, resolve } = Promise.withResolvers<RunPage>();
    const asked = await answerRuns((query) => (query.has('cursor') ? promise : { runs: some(3, 2), next_cursor: '2' }));
    await shown.go('/runs');
    await page.getByRole('button', { name: 'Show older runs' }).dblclick();
    await page.getByRole('button', { name: 'Loading…' }).click({ force: true });
    resolve({ runs: some(1) });
    await row(1).waitFor();
    expect(await ids()).to.deep.equal(['run_3', 'run_2', 'run_1']);
    expect(asked.filter((one) => one.includes('cursor'))).to.have.length(1);
  });

  it('drop an older page when the list began again meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<RunPage>();
    await answerRuns((query, asked) => {
      if (query.has('cursor')) return promise;
      return asked <= 2 ? { runs: some(3, 2), next_cursor: '2' } : { runs: some(9, 8), next_cursor: '8' };
    });
    await shown.go('/runs');
    await live();
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await run();
    await row(9).waitFor();
    resolve({ runs: some(1) });
    await page.getByRole('button', { name: 'Show older runs' }).waitFor();
    expect(await ids()).to.deep.equal(['run_9', 'run_8']);
  });

  it('show the last answer that was asked for, in whatever order answers come', async () => {
    const { promise, resolve } = Promise.withResolvers<RunPage>();
    await answerRuns((_, asked) => (asked === 1 ? promise : asked === 2 ? { runs: some(2, 1) } : never));
    await shown.go('/runs');
    await row(2).waitFor();
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/runs');
    resolve({ runs: some(1) });
    await (await answered).finished();
    await drawn();
    expect(await ids()).to.deep.equal(['run_2', 'run_1']);
  });

  for (const [what, answer] of [
    ['page', { json: { runs: some(1) } }],
    ['problem', { status: 503, json: {} }],
  ] as const)
    it(`drop a ${what} of filters that were changed meanwhile`, async () => {
      const [held, answered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      let holds = false;
      await page.route(
        ({ pathname, searchParams }) => pathname === '/runs' && searchParams.get('status') === 'failed',
        async (route) => {
          if (!holds) return route.fulfill({ json: { runs: [] } });
          await held.promise;
          await route.fulfill(answer).catch(() => undefined);
          answered.resolve(undefined);
        },
      );
      await shown.go('/runs?status=failed');
      await live();
      await page.getByText('No runs match the filters').waitFor();
      holds = true;
      const again = page.waitForRequest((request) => request.url().includes('status=failed'));
      const { body } = await run();
      await again;
      await page.getByLabel('Status').selectOption('completed');
      await page.getByRole('link', { name: String(body.run_id) }).waitFor();
      held.resolve(undefined);
      await answered.promise;
      await drawn();
      expect(await page.getByRole('link', { name: String(body.run_id) }).count()).to.equal(1);
      expect(await page.getByRole('alert').count()).to.equal(0);
    });

  it('read on while a page is empty, until the filters change', async () => {
    const { promise, resolve } = Promise.withResolvers<RunPage>();
    const asked = await answerRuns((query) => {
      const at = Number(query.get('cursor') ?? 0);
      if (query.get('status') !== 'failed')
        return at === 3 ? { runs: some(1) } : { runs: [], next_cursor: `${at + 1}` };
      return at === 3 ? promise : { runs: [], next_cursor: `${at + 1}` };
    });
    await shown.go('/runs?status=failed');
    await page.waitForRequest((request) => request.url().includes('cursor=3'));
    await page.getByLabel('Status').selectOption('completed');
    await row(1).waitFor();
    resolve({ runs: [], next_cursor: '4' });
    // Its next page would be asked for before the pages of other filters.
    await page.getByLabel('Status').selectOption('denied');
    await page.waitForRequest((request) => /denied.*cursor=3/.test(request.url()));
    expect(asked.filter((one) => one.includes('status=failed') && one.includes('cursor=4'))).to.deep.equal([]);
  });

  it('do not say that they are empty while there is more to read', async () => {
    const asked = await answerRuns((query) => ({ runs: [], next_cursor: `${Number(query.get('cursor') ?? 0) + 1}` }));
    await page.route(
      ({ pathname }) => pathname === '/events',
      () => undefined,
    );
    // A new window, since the stream of the home would stay open.
    await page.goto(`${site.platform.url}/console/runs?status=failed`);
    await page.getByText('No entries so far.').waitFor();
    expect(asked).to.have.length(100);
    expect(await page.getByText('No runs match the filters').count()).to.equal(0);
    await shown.check('list-none-so-far');
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await until(
      () => asked.length,
      (count) => count > 100,
      'the next page',
    );
  });
});
