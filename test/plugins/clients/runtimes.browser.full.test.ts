import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { browserOrSkip } from '../../helpers/browser.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { installClient, type Installed } from './built.ts';
import { answers } from './runtimes/walk.mjs';
import type * as walking from './runtimes/walk.mjs';
import { walkByCommand } from './runtimes/places.ts';

describe('the TypeScript client, installed from its package', function () {
  this.timeout(120_000);
  let installed: Installed;
  let served: Served;
  let at: { readonly url: string; readonly key: string };
  before(async () => {
    [installed, served] = [await installClient(), createServed()];
    at = await served.start();
  });
  after(async () => {
    await served?.remove();
    installed?.remove();
  });

  it('walks on the Node of the tests', async () => {
    const walked = { folder: installed.folder, ...at, sub: 'node' };
    expect(await walkByCommand(process.execPath, [], walked)).to.deep.equal([...answers]);
  });

  it('walks in Chromium, on a page of the server, with a key for tests', async function () {
    const browser: Browser = await browserOrSkip(this);
    try {
      const page = await (await browser.newContext({ bypassCSP: true })).newPage();
      await page.goto(`${at.url}/clients`);
      const made = await fetch(`${at.url}/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'browser', mode: 'test', scopes: ['orbs:execute', 'runs:read', 'receipts:read'] }),
      });
      const { key } = (await made.json()) as { key: string };
      const moduleOf = (path: string): string =>
        `data:text/javascript;base64,${Buffer.from(readFileSync(path, 'utf8').replace(/\/\/# sourceMappingURL.*/, '')).toString('base64')}`;
      const modules = {
        client: moduleOf(join(installed.folder, 'node_modules/agent-orb/index.js')),
        walk: moduleOf(join(import.meta.dirname, 'runtimes/walk.mjs')),
      };
      const lines = await page.evaluate(
        async ([given, { client, walk }]) => {
          const [exports, walked] = [(await import(client)) as never, (await import(walk)) as typeof walking];
          return walked.walk(exports, given);
        },
        [{ url: at.url, key, sub: 'chromium' }, modules] as const,
      );
      expect(lines).to.deep.equal([...answers]);
      const refused = await page.evaluate(
        async ([url, client]) => {
          const { Orb } = (await import(client)) as { Orb: new (url: string, key: string, options: object) => object };
          try {
            return typeof new Orb(url, `orb_live_${'0'.repeat(38)}`, { pin: 'tofu' });
          } catch (error) {
            return (error as { code: string }).code;
          }
        },
        [at.url, modules.client] as const,
      );
      expect(refused).to.equal('browser');
    } finally {
      await browser.close();
    }
  });
});
