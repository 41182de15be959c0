import { chromium, type Browser } from 'playwright-core';
import type { Context } from 'mocha';
import { chromiumPath, need } from './needs.ts';

let running: Promise<Browser> | undefined;

/**
 * Answers a headless Chromium of the machine (or `$CHROMIUM`); leaves out what runs in `context` without one. All files of
 * a process have one: who closes it closes what is open in it.
 */
export async function browserOrSkip(context: Context): Promise<Browser> {
  need(context, 'chromium');
  context.timeout(60_000);
  return (running ??= launch());
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  browser.close = async () => void (await Promise.all(browser.contexts().map((one) => one.close())));
  browser.once('disconnected', () => (running = undefined));
  return browser;
}
