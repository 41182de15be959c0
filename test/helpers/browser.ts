import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import type { Context } from 'mocha';

/** The Chromium of this machine, or `$CHROMIUM`; undefined without one. */
export const chromiumPath: string | undefined = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((place) => place !== undefined && existsSync(place));

/** Starts a headless Chromium of the machine (or `$CHROMIUM`); skips what runs in `context`, and says so, without one. */
export async function browserOrSkip(context: Context): Promise<Browser> {
  if (chromiumPath === undefined) {
    console.log('      left out: no Chromium on this machine (apt-get install chromium, or set CHROMIUM)');
    return context.skip();
  }
  context.timeout(60_000);
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}
