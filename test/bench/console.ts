import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page, type Request } from 'playwright-core';
import { chromiumPath } from '../helpers/needs.ts';
import { untilLedgerUp } from './full-start.ts';
import { fill, heldIn, serve } from './full-store.ts';
import { median } from './load.ts';
import { printTable, times, type Row } from './table.ts';

const smallRuns = 1000;
const largeRuns = 1_000_000;
const quietMs = 300;

/** What showing one screen took, in milliseconds. */
interface Shown {
  /** Of the slowest answer. */
  readonly answer: number;
  /** Until nothing was asked any more. */
  readonly whole: number;
  readonly calls: number;
}

/**
 * Prints what each screen of the console waits for, with a store of 1,000 runs, and with BENCH_FULL=1 with one of 10^6 in
 * the home BENCH_FULL_HOME beside it: its slowest answer, and the time until it asks for nothing more.
 */
export async function consoleScreens(dir: string, looks: number): Promise<void> {
  if (chromiumPath === undefined) return console.log('  left out: no Chromium on this machine');
  const small = await shownWith(join(dir, 'console'), smallRuns, looks);
  const isFull = process.env['BENCH_FULL'] === '1';
  const large = isFull
    ? await shownWith(process.env['BENCH_FULL_HOME'] ?? join(dir, 'console-large'), largeRuns, looks)
    : small;
  const heads = ['calls', 'slowest answer', 'whole'];
  printTable(
    'Screen, ms',
    isFull ? [...heads, 'answer at 10^6', 'whole', 'ratio'] : heads,
    [...small].map(([path, one]): Row => {
      const other = large.get(path) ?? one;
      const more = [other.answer.toFixed(0), other.whole.toFixed(0), times(other.answer, one.answer)];
      return [path, String(one.calls), one.answer.toFixed(0), one.whole.toFixed(0), ...(isFull ? more : [])];
    }),
  );
}

async function shownWith(home: string, runs: number, looks: number): Promise<ReadonlyMap<string, Shown>> {
  const isNew = !existsSync(join(home, 'data/state/store.db'));
  const target = await serve(home);
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    if (isNew) await fill(target, runs);
    await untilLedgerUp(target);
    console.log(`  ${heldIn(home).runs} runs`);
    const page = await browser.newPage();
    await page.goto(`${target.url}/console`);
    await page.getByLabel('API key').fill(target.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const tabs = page.getByRole('navigation', { name: 'Console' }).first().getByRole('link');
    await tabs.first().waitFor({ state: 'attached' });
    const paths = await tabs.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const all = new Map(paths.map((path): [string, Shown[]] => [path, []]));
    // From one to the next: a screen that stands already asks for nothing.
    for (let look = 0; look < looks; look++) for (const [path, shown] of all) shown.push(await show(page, path));
    const found = new Map<string, Shown>();
    for (const [path, shown] of all) {
      const of = (pick: (one: Shown) => number): number => median(shown.map(pick));
      found.set(path, {
        answer: of((one) => one.answer),
        whole: of((one) => one.whole),
        calls: of((one) => one.calls),
      });
    }
    return found;
  } finally {
    await browser.close();
    await target.stop();
  }
}

// Goes to the screen as a click on its tab does.
async function show(page: Page, path: string): Promise<Shown> {
  const begun = performance.now();
  let [answer, calls, open, last] = [0, 0, 0, begun];
  const began = (request: Request): void => {
    if (request.resourceType() === 'fetch') open++;
  };
  const ended = (request: Request): void => {
    if (request.resourceType() !== 'fetch') return;
    [open, calls, last] = [open - 1, calls + 1, performance.now()];
    const { requestStart, responseEnd } = request.timing();
    answer = Math.max(answer, responseEnd - requestStart);
  };
  page.on('request', began);
  page.on('requestfinished', ended);
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new Event('popstate'))`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  while (open > 0 || performance.now() - last < quietMs) await new Promise((resolve) => setTimeout(resolve, 10));
  page.off('request', began);
  page.off('requestfinished', ended);
  return { answer, whole: last - begun, calls };
}
