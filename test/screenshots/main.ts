import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { packageDir } from '../helpers/folder.ts';
import { chromiumPath } from '../helpers/needs.ts';
import { mask } from './mask.ts';
import { placeOf, type Get } from './places.ts';
import { digests, nameOf, page as pictureFile, picturePage, pictures, schemes, screenSources } from './sources.ts';

// `npm run screenshots`: one picture of each screen of the console, light and dark, of a demonstration.
// Words of the command name the screens to make again: `npm run screenshots -- /runs /keys`.

const at = '2026-11-20T15:00:00Z';
const most = 60 * 1024;
const size = { width: 1280, height: 860 };

interface Demo {
  readonly url: string;
  readonly console: string;
  readonly admin_key_file: string;
}

const wanted = process.argv.slice(2);
const sources = screenSources();
const child = spawn(process.execPath, [join(packageDir, 'kernel/orb.js'), 'demo', '--json', '--at', at], {
  env: { PATH: process.env['PATH'] },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await main(await answered(child));
} finally {
  child.kill('SIGTERM');
}

async function main(demo: Demo): Promise<void> {
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  });
  try {
    await takeAll(browser, demo);
  } finally {
    await browser.close();
  }
}

async function takeAll(browser: Browser, demo: Demo): Promise<void> {
  const key = readFileSync(demo.admin_key_file, 'utf8').trim();
  const get: Get = async (path) => {
    const answer = await fetch(demo.url + path, { headers: { authorization: `Bearer ${key}` } });
    return answer.json();
  };
  const context = await browser.newContext({
    viewport: size,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(at);
  await page.goto(demo.console);
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  await page.getByRole('navigation', { name: 'Console' }).first().waitFor({ state: 'attached' });
  if (wanted.length === 0) rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const made = new Map<string, string>(wanted.length === 0 ? [] : Object.entries(readDigests()));
  for (const [path, digest] of sources) {
    if (wanted.length > 0 && !wanted.includes(path)) continue;
    await page.goto(`${demo.url}/console${path === '/' ? '' : await placeOf(path, get)}`);
    for (const scheme of schemes) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await shown(page);
      await page.evaluate(mask);
      writeFileSync(join(pictures, `${nameOf(path)}-${scheme}.webp`), await picture(context, page));
    }
    made.set(path, digest);
    process.stdout.write(`${path}\n`);
  }
  const rows = [...made].filter(([path]) => sources.has(path)).sort();
  writeFileSync(digests, `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`);
  writeFileSync(pictureFile, picturePage());
}

function readDigests(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(digests, 'utf8')) as Readonly<Record<string, string>>;
}

// Waits until a screen has been drawn, and nothing changes any more.
async function shown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  let before = '';
  for (let same = 0; same < 3;) {
    await page.waitForTimeout(150);
    const now = await page.locator('body').innerText();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

// Takes a picture in the best quality that is small enough.
async function picture(context: BrowserContext, page: Page): Promise<Buffer> {
  const session = await context.newCDPSession(page);
  try {
    for (let quality = 85; ; quality -= 10) {
      const bytes = await still(session, quality);
      if (bytes.length <= most || quality <= 35) return bytes;
    }
  } finally {
    await session.detach();
  }
}

// Takes pictures until two are the same: what is drawn after the first one is in both of them.
async function still(session: CDPSession, quality: number): Promise<Buffer> {
  let before = '';
  for (let tries = 0; tries < 20; tries++) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    if (data === before) break;
    before = data;
  }
  return Buffer.from(before, 'base64');
}

// Resolves to what the demonstration prints once it is ready.
function answered({ stdout }: ChildProcess): Promise<Demo> {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout?.on('data', (part: Buffer) => {
      text += part.toString();
      try {
        resolve(JSON.parse(text) as Demo);
      } catch {
        // The rest is still to come.
      }
    });
    stdout?.once('close', () => reject(new Error('the demonstration ended')));
  });
}
