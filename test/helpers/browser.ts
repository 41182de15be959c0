import { chromium, type Browser } from 'playwright-core';
import type { Context } from 'mocha';
import { chromiumPath, need } from './needs.ts';

/** Starts a headless Chromium of the machine (or `$CHROMIUM`); leaves out what runs in `context` without one. */
export async function browserOrSkip(context: Context): Promise<Browser> {
  need(context, 'chromium');
  context.timeout(60_000);
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}
