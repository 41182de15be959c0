import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { until } from '../../../helpers/until.ts';
import { openWindow, signIn, startConsole, type ConsoleSite } from '../helpers.ts';

const many = 8;

describe('many windows of the console in one browser', function () {
  this.timeout(180_000);
  let site: ConsoleSite;
  let context: BrowserContext;
  const windows: Page[] = [];
  // The window that opened the last stream of events.
  let leader: Page | undefined;
  before(async function () {
    site = await startConsole(this);
    const first = await openWindow(site.platform, site.browser);
    await signIn(first.page, site.platform, site.platform.adminKey);
    context = first.page.context();
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/events') leader = request.frame().page();
    });
    windows.push(first.page);
  });
  after(() => site?.close());

  const open = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(site.platform.url + path);
    return page;
  };
  const run = async (): Promise<string> => {
    const request = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    return String((await site.platform.call('POST', '/orbisets/default/execute', request)).body.run_id);
  };
  const streams = async (): Promise<number> => {
    const metrics = String((await site.platform.call('GET', '/metrics')).body);
    return Number(/^orb_http_held_answers\{kind="stream"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
  };
  const oneStream = () => until(streams, (count) => count === 1, 'one stream of events');
  // A page of the same site that hears what the windows tell each other.
  const hears = async (): Promise<Page> => {
    const page = await open('/marketplace');
    const { key_id } = (await site.platform.call('GET', '/keys/self')).body;
    await page.evaluate(`window.heard = []; window.channel = new BroadcastChannel('orb-events:${key_id}');
      channel.onmessage = ({ data }) => data.event && heard.push(data.event.data.run_id)`);
    return page;
  };

  it('share one stream: all are live, and a public page opens at once', async () => {
    await windows[0]?.goto(`${site.platform.url}/console/runs`);
    while (windows.length < many) windows.push(await open(windows.length % 2 === 0 ? '/console/runs' : '/console'));
    for (const page of windows) {
      await page.goto(`${site.platform.url}/console/runs`);
      await page.getByText('Live', { exact: true }).waitFor();
    }
    const page = await open('/marketplace');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.close();
    await oneStream();
    const id = await run();
    for (const window of windows) await window.getByRole('link', { name: id }).waitFor();
  });

  it('go on when the one that holds the stream closes: each event comes once', async () => {
    const page = await hears();
    const ids = [await run()];
    const closed = leader ?? expect.fail('no window holds the stream');
    windows.splice(windows.indexOf(closed), 1);
    await closed.close();
    ids.push(await run());
    for (const window of windows) await window.getByRole('link', { name: ids[1] ?? '' }).waitFor();
    ids.push(await run());
    for (const window of windows) await window.getByText('Live', { exact: true }).waitFor();
    await oneStream();
    const heard = await until<readonly string[]>(
      () => page.evaluate('heard'),
      (found) => found.includes(ids[2] ?? ''),
      'the last event',
    );
    expect(heard).to.deep.equal(ids);
    await page.close();
  });

  it('show the sign-in form when one signs out, and the console of the next caller when one signs in', async () => {
    const [one, two] = windows;
    if (one === undefined || two === undefined) return expect.fail('no windows');
    await one.getByRole('button', { name: 'Sign out' }).click();
    for (const window of windows) await window.getByRole('heading', { name: 'Sign in' }).waitFor();
    await until(streams, (count) => count === 0, 'no stream of events');
    const key = await site.platform.key({ name: 'second caller', scopes: ['runs:read'] });
    await signIn(two, site.platform, key);
    for (const window of windows) await window.getByText('second caller', { exact: true }).last().waitFor();
    await oneStream();
  });
});
