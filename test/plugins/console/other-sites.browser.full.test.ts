import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../helpers/until.ts';
import { openWindow, signIn, startConsole, type ConsoleSite } from './helpers.ts';

// A page of another port is of another origin and of the same site: browsers send it the cookie, Strict or not.
const places = ['127.0.0.1', 'localhost'] as const;

describe('a page of somebody else, in a browser that is signed in to the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let other: Server;
  let page: Page;
  let close: () => Promise<void>;
  before(async function () {
    site = await startConsole(this);
    other = createServer((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Other</h1>'));
    await once(other.listen(0), 'listening');
    const shown = await openWindow(site.platform, site.browser);
    ({ page, close } = shown);
    await page.goto(`${site.platform.url}/console`);
    await signIn(page, site.platform, site.platform.adminKey);
  });
  after(async () => {
    await close?.();
    other?.close();
    await site?.close();
  });

  const go = (place: string) => page.goto(`http://${place}:${(other.address() as AddressInfo).port}/`);
  const runs = async (): Promise<number> => (await site.platform.call('GET', '/runs')).body.runs.length;
  const asked = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } };

  for (const place of places) {
    it(`at ${place} shows it in no frame`, async () => {
      await go(place);
      await page.evaluate(`new Promise((loaded) => {
        const frame = document.createElement('iframe');
        frame.src = ${JSON.stringify(`${site.platform.url}/console`)};
        frame.onload = loaded;
        document.body.append(frame);
      })`);
      const shown = await until(
        () => page.frames()[1]?.url() ?? '',
        (url) => url !== '',
        'what the frame shows',
      );
      expect(shown).to.equal('chrome-error://chromewebdata/');
    });

    it(`at ${place} reads nothing and does nothing by its cookie`, async () => {
      const before = await runs();
      await go(place);
      const url = (path: string): string => JSON.stringify(site.platform.url + path);
      const body = JSON.stringify(JSON.stringify(asked));
      // Without CORS the page sees no answer, but "no-cors" requests and forms are sent all the same.
      const read = await page.evaluate(
        `fetch(${url('/runs')}, { credentials: 'include' }).then(() => 'read', () => 'refused')`,
      );
      expect(read).to.equal('refused');
      const send = { method: 'POST', mode: 'no-cors', credentials: 'include' };
      for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
        await page.evaluate(
          `fetch(${url('/orbisets/default/execute')}, { ...${JSON.stringify(send)}, headers: { 'content-type': '${type}' }, body: ${body} })`,
        );
      const headers = { 'orb-console': '1', 'content-type': 'application/json' };
      const preflighted = await page.evaluate(
        `fetch(${url('/orbisets/default/execute')}, { method: 'POST', credentials: 'include', headers: ${JSON.stringify(headers)}, body: ${body} }).then(() => 'done', () => 'refused')`,
      );
      expect(preflighted).to.equal('refused');
      expect(await runs()).to.equal(before);
    });

    it(`at ${place} signs nobody in as somebody else`, async () => {
      const key = await site.platform.key({ name: 'stranger', scopes: ['*'] });
      await go(place);
      // A form of one text field whose name and value make JSON together.
      await page.evaluate(`(() => {
        const form = document.createElement('form');
        form.method = 'post';
        form.enctype = 'text/plain';
        form.action = ${JSON.stringify(`${site.platform.url}/console/session`)};
        const field = document.createElement('input');
        field.name = ${JSON.stringify(`{"key": "${key}", "more": "`)};
        field.value = '"}';
        form.append(field);
        document.body.append(form);
        form.submit();
      })()`);
      await page.waitForURL(`${site.platform.url}/console/session`);
      await page.goto(`${site.platform.url}/console`);
      await page.locator('.side').getByText('admin', { exact: true }).waitFor();
    });
  }
});
