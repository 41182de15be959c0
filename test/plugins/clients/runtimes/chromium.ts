import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../../../helpers/needs.ts';
import type * as walking from './walk.mjs';
import { runIn, type Walked } from './places.ts';

/** Starts the Chromium of the machine, in the network of a walk. */
async function startChromium({ folder, within = [] }: Walked): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('there is no Chromium on this machine');
  const script = join(folder, 'chromium.sh');
  writeFileSync(script, `#!/bin/sh\nexec ${[...within, chromiumPath].join(' ')} "$@"\n`);
  chmodSync(script, 0o755);
  return chromium.launch({
    executablePath: script,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

// An API key for tests alone may be in a browser.
const makeKey = (url: string, key: string): string => `
const made = await fetch('${url}/keys', {
  method: 'POST',
  headers: { authorization: 'Bearer ${key}', 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'browser', mode: 'test', scopes: ['orbs:execute', 'runs:read', 'receipts:read'] }),
});
console.log((await made.json()).key);
`;

const moduleOf = (path: string): string =>
  `data:text/javascript;base64,${Buffer.from(readFileSync(path, 'utf8').replace(/\/\/# sourceMappingURL.*/, '')).toString('base64')}`;

const clientOf = ({ folder }: Walked): string => moduleOf(join(folder, 'node_modules/agent-orb/index.js'));

/** Opens a page of the server. */
async function openPage(browser: Browser, { url }: Walked): Promise<Page> {
  const page = await (await browser.newContext({ bypassCSP: true })).newPage();
  await page.goto(`${url}/clients`);
  return page;
}

/** Walks on a page of the server, with a key for tests. */
async function walkOnPage(page: Page, walked: Walked): Promise<string[]> {
  const { key, sub, url } = walked;
  const made = await runIn(walked, [process.execPath, '--input-type=module', '-e', makeKey(url, key)]);
  const modules = { client: clientOf(walked), walk: moduleOf(join(import.meta.dirname, 'walk.mjs')) };
  return page.evaluate(
    async ([given, { client, walk }]) => {
      const [exports, walked] = [(await import(client)) as never, (await import(walk)) as typeof walking];
      return walked.walk(exports, given);
    },
    [{ url, key: made.trim(), sub }, modules] as const,
  );
}

/** Makes a client with a live key on a page; answers the code of its error. */
async function useLiveKey(page: Page, walked: Walked): Promise<string> {
  return page.evaluate(
    async ([url, client]) => {
      const { Orb } = (await import(client)) as { Orb: new (url: string, key: string, options: object) => object };
      try {
        return typeof new Orb(url, `orb_live_${'0'.repeat(38)}`, { pin: 'tofu' });
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
    [walked.url, clientOf(walked)] as const,
  );
}

/** Walks in Chromium; answers what the walk says, and the code of the error of a client with a live key. */
export async function walkInChromium(walked: Walked): Promise<{ readonly lines: string[]; readonly liveKey: string }> {
  const browser = await startChromium(walked);
  try {
    const page = await openPage(browser, walked);
    return { lines: await walkOnPage(page, walked), liveKey: await useLiveKey(page, walked) };
  } finally {
    await browser.close();
  }
}
