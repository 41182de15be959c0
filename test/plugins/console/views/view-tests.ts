import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { shippedFolder } from '../../../../plugins/policy/shipped.ts';
import { axeFindings, isQuiet, startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';
import { until } from '../../../helpers/until.ts';
import { lookAt, watching } from '../hostile/look.ts';
import { mark } from '../hostile/payload.ts';
import { hostilePlatform, rego, seed, type Seeded } from '../hostile/seed.ts';
import { allScreens, pathOf, showing, type ScreenRow } from './screens.ts';
import { changedWords, wordsOf, wordsOfNone } from './words.ts';

// 200 % of a window of 1280 px leaves 640 px, each of two dots (WCAG 2.2, 1.4.4 and 1.4.10).
const looks = [
  ['light', 1280, 'light', 1],
  ['dark', 1280, 'dark', 1],
  ['360 px', 360, 'light', 1],
  ['200 %', 640, 'light', 2],
] as const;

const axed: readonly string[] = process.env['CONSOLE_SOAK'] === '1' ? looks.map(([name]) => name) : ['light', 'dark'];

const mostShift = 0.1;
const slowMs = 120;

// Adds up what moved without the reader (web.dev/articles/cls); the sum is at least the score of the worst second.
const shifts = `window.shifted = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      window.shifted.push([entry.value, entry.sources.map(({ node }) => node?.className ?? node?.nodeName ?? '').join()]);
}).observe({ type: 'layout-shift', buffered: true })`;

const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const linksHere = `[...document.querySelectorAll('main a[href^="/console/"]')].map((one) => one.pathname.slice('/console'.length))`;

/**
 * Makes the tests of a part of all screens of the console, as its table has them: each is opened by its address, with
 * hostile texts in all names, over a slow network; nothing of it moves, axe finds nothing, and no text is more than text.
 */
export function testViews(part: number, parts: number): void {
  describe(`every screen of the console, part ${part} of ${parts}`, function () {
    this.timeout(180_000);
    let site: ConsoleSite;
    let shown: ConsoleWindow;
    let seeded: Seeded;
    let rows: readonly ScreenRow[];
    before(async function () {
      rows = (await allScreens()).filter((_, at) => at % parts === part - 1);
      const home = mkdtempSync(join(tmpdir(), 'orb-views-'));
      cpSync(shippedFolder, join(home, 'policies'), { recursive: true });
      writeFileSync(join(home, 'policies/hostile.rego'), rego);
      site = await startConsole(this, { ...hostilePlatform, home });
      seeded = await seed(site.platform);
      shown = await site.open();
      await shown.page.addInitScript(`${watching}; ${shifts}`);
      await shown.page.route(
        (url) => !url.pathname.startsWith('/console') && url.pathname !== '/logo',
        async (route) => {
          await new Promise((resolve) => setTimeout(resolve, slowMs));
          await route.continue().catch(() => undefined);
        },
      );
    });
    after(() => site?.close());

    it('is among them', async () => {
      expect(rows.length).to.be.at.least(7);
      const paths = (await allScreens()).map(({ path }) => path);
      expect(paths).to.include.members([...showing]);
      expect(wordsOfNone(paths)).to.deep.equal([]);
    });

    it('moves nothing while it loads, fits, is accessible, and shows texts of strangers as texts', async () => {
      const { page, faults } = shown;
      const found: string[] = [];
      const changed: string[] = [];
      const links: string[] = [];
      const ids: Readonly<Record<string, string>> = { ...seeded, run_id: seeded['run'] ?? '' };
      // Those of one thing are last: others link to them.
      const ordered = rows.toSorted((one, other) => one.path.split('{').length - other.path.split('{').length);
      for (const screen of ordered) {
        const { path, known } = pathOf(screen, ids, links);
        await page.goto(`${site.platform.url}/console${path === '/' ? '' : path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await isQuiet(page);
        links.push(...(await page.evaluate<readonly string[]>(linksHere)));
        found.push(...(await findingsOf(page, screen)).map((one) => `${screen.path}: ${one}`));
        // Last, as it hides things.
        changed.push(...changedWords(screen.path, await wordsOf(page)).map((line) => `${screen.path}: ${line}`));
        const strange = faults.splice(0).filter((fault) => known || !/status of 4\d\d/.test(fault));
        found.push(...strange.map((fault) => `${screen.path}: ${fault}`));
      }
      expect(found.join('\n')).to.equal('');
      expect(changed.join('\n'), 'words that UPDATE_GOLDEN=1 writes again').to.equal('');
    });
  });
}

async function findingsOf(page: Page, { path }: ScreenRow): Promise<readonly string[]> {
  const found: string[] = [];
  const moved = await page.evaluate<readonly (readonly [number, string])[]>('window.shifted');
  const sum = moved.reduce((total, [value]) => total + value, 0);
  if (sum > mostShift) found.push(`moved by ${sum.toFixed(3)}: ${JSON.stringify(moved)}`);
  for (const [name, width, scheme, scale] of looks) {
    await page.setViewportSize({ width, height: Math.round(900 / scale) });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    const wide = await page.evaluate<number>(tooWide);
    if (wide > 0) found.push(`${name}: ${wide} px too wide`);
    // Narrow screens, enlarged ones among them, axe sees in the tests of each screen; here it does with CONSOLE_SOAK=1.
    if (!axed.includes(name)) continue;
    found.push(...(await axeFindings(page, scheme)).map((one) => `${name}: ${one}`));
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
  const looked = (text: string): boolean => !showing.has(path) || text.includes(mark);
  await until(() => lookAt(page), looked, 'the text of a stranger').catch(
    (error: unknown) => void found.push(String(error)),
  );
  return found;
}
