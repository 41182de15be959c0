import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Context } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { browserOrSkip } from '../../helpers/browser.ts';
import { startPlatform, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** A platform with its console, and a browser; one of each for a file of tests. */
export interface ConsoleSite {
  readonly platform: TestPlatform;
  readonly browser: Browser;
  /** Opens a window that is signed in by a key (default: the admin's) and shows a path below `/console`. */
  open(path?: string, key?: string): Promise<ConsoleWindow>;
  close(): Promise<void>;
}

/** A window of the console, which notes all that must not be. */
export interface ConsoleWindow {
  readonly page: Page;
  /** Errors of scripts and of the console, violations of the policy, requests to other sites. */
  readonly faults: string[];
  /** Goes to a path below `/console` without a new load, as a click on a link does. */
  go(path: string): Promise<void>;
  /**
   * Holds what is shown against the rules, at 1280, 390 (dark) and 320 px: nothing is wider than the window,
   * axe finds nothing, storage is empty, and there were no faults. With `$CONSOLE_SHOTS`, a folder, it keeps pictures.
   */
  check(name: string): Promise<void>;
  /** Presses keys one after the other. */
  keys(...keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Starts a platform and a browser, or skips the tests of the file without one. */
export async function startConsole(context: Context, options: PlatformOptions = {}): Promise<ConsoleSite> {
  const browser = await browserOrSkip(context);
  const platform = await startPlatform(options);
  return {
    platform,
    browser,
    async open(path = '', key = platform.adminKey) {
      const shown = await openWindow(platform, browser);
      await signIn(shown.page, platform, key);
      if (path !== '') await shown.go(path);
      return shown;
    },
    async close() {
      await browser.close();
      await platform.stop();
    },
  };
}

/** Opens a window that nobody is signed in at, and shows nothing yet. */
export async function openWindow(platform: TestPlatform, browser: Browser): Promise<ConsoleWindow> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== platform.url) faults.push(`foreign: ${request.url()}`);
  });
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))`,
  );
  return {
    page,
    faults,
    go: (path) => goTo(page, path),
    check: (name) => check(page, faults, name),
    async keys(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    close: () => context.close(),
  };
}

/** Signs in at the sign-in screen by a key. */
export async function signIn(page: Page, platform: TestPlatform, key: string): Promise<void> {
  if (!page.url().startsWith(platform.url)) await page.goto(`${platform.url}/console`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Console' }).first().waitFor({ state: 'attached' });
}

async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(`/console${path}`)}); dispatchEvent(new Event('popstate'))`,
  );
  await page.getByRole('heading', { level: 1 }).waitFor();
}

const looks = [
  [1280, 'light'],
  [390, 'dark'],
  [320, 'light'],
  // In full: the dark colours of a wide window are those of a narrow one, and the tests of all views look at them.
  ...(process.env['CONSOLE_SOAK'] === '1' ? ([[1280, 'dark']] as const) : []),
] as const;

// Measured after the window has been laid out again.
const tooWide = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  resolve(scrollWidth - clientWidth);
})))`;

async function check(page: Page, faults: readonly string[], name: string): Promise<void> {
  const folder = process.env['CONSOLE_SHOTS'];
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  try {
    for (const [width, scheme] of looks) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      const look = `${name}, ${width} px, ${scheme}`;
      if (folder !== undefined)
        await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`), fullPage: true });
      expect(await page.evaluate(tooWide), look).to.be.at.most(0);
      let found = await axeFindings(page, scheme);
      // What is still being drawn is no finding.
      if (found.length > 0) {
        await page.waitForTimeout(500);
        found = await axeFindings(page, scheme);
      }
      expect(found.join('\n'), look).to.equal('');
    }
  } finally {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  expect(await page.evaluate('localStorage.length + sessionStorage.length'), 'storage').to.equal(0);
  // In full: an assertion of equal texts would cut them off.
  if (faults.length > 0) expect.fail(`${name}: ${faults.join('\n')}`);
}

/** Lists what axe finds; of what it looks at, the dark scheme changes the colours alone. */
export async function axeFindings(page: Page, scheme: 'light' | 'dark'): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...(scheme === 'dark' ? { runOnly: ['color-contrast'] } : {}) })})`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Resolves when the page has received nothing for half a second; its stream of events, which stays open, does not count. */
export async function isQuiet(page: Page): Promise<void> {
  const received = (): Promise<number> => page.evaluate(() => performance.getEntriesByType('resource').length);
  for (let [count, still] = [-1, 0]; still < 5;) {
    const now = await received();
    still = now === count ? still + 1 : 0;
    count = now;
    await page.waitForTimeout(100);
  }
}
