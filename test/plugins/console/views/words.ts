import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { packageDir } from '../../../helpers/folder.ts';
import { updating } from '../../../helpers/updating.ts';

/** What differs from run to run, and what replaces it; in this order. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z]{2,4})_[0-9A-HJKMNP-TV-Z]{26}\b/g, '$1_…'],
  [/\borb_(live|test)_\w+/g, 'orb_$1_…'],
  [/\bnode-[0-9a-f]{8}\b/g, 'node-…'],
  [/[\w-]{12}…/g, 'KEY…'],
  [/\b(?:sha256:)?[0-9a-f]{12,64}\b/g, 'DIGEST'],
  [/[A-Za-z0-9+/_-]{40,}=*/g, 'DATA'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  // A time of today is shown without its date.
  [/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d(?::\d\d)?(?:\.\d+)?/g, 'TIME'],
  [/\d{4}-\d\d-\d\d/g, 'DATE'],
  [/\b\d+(?:\.\d+)? (?:ms|s)\b/g, 'DURATION'],
  [/\b[\d,]+ bytes\b/g, 'SIZE'],
  [/\b\d+ of \d+ hours?\b/g, 'HOURS'],
];

// The texts of strangers are long.
const mostOfLine = 160;

// Charts and their figures depend on the hour, and data as JSON on the run; of long tables the first rows are enough.
const wordsHere = `(() => {
  const main = document.querySelector('main');
  const all = (of) => [...main.querySelectorAll(of)];
  const hidden = [
    ...all('svg, .editor-lines, tbody tr:nth-child(n + 9)'),
    ...all('details tbody').filter((one) => one.closest('details').textContent.includes('Show as a table')),
    ...all('pre').filter(({ textContent }) => /^[[{]/.test(textContent)),
  ];
  for (const one of hidden) one.style.display = 'none';
  return main.innerText;
})()`;

/** Reads the words of a screen, without what differs from run to run. It hides the rest: what is drawn is not complete. */
export async function wordsOf(page: Page): Promise<string> {
  const words = await page.evaluate<string>(wordsHere);
  const same = varying.reduce((text, [pattern, name]) => text.replace(pattern, name), words);
  const lines = same.split('\n').map((line) => line.replace(/\s+/g, ' ').trim().slice(0, mostOfLine));
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

const folder = join(packageDir, 'test/golden/console');

function fileOf(path: string): string {
  const name = path.replace(/[{}]/g, '').replace(/^\/|\/$/g, '') || 'home';
  return `${name.replaceAll('/', '.')}.txt`;
}

/** Lists the files with words of screens that are not among these paths. */
export function wordsOfNone(paths: readonly string[]): readonly string[] {
  const known = new Set(paths.map(fileOf));
  return readdirSync(folder).filter((file) => !known.has(file));
}

/**
 * Lists the lines by which the words of a screen differ from those before, from the first to the last; with
 * `UPDATE_GOLDEN=1` it keeps the words of now.
 */
export function changedWords(path: string, now: string): readonly string[] {
  const file = join(folder, fileOf(path));
  if (updating) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, now);
  }
  const [was, is] = [existsSync(file) ? readFileSync(file, 'utf8') : '', now].map((text) => text.split('\n'));
  return rest(was ?? [], is ?? []);
}

function rest(was: readonly string[], is: readonly string[]): readonly string[] {
  let [from, back] = [0, 0];
  const most = Math.min(was.length, is.length);
  while (from < most && was[from] === is[from]) from += 1;
  while (back < most - from && was.at(-1 - back) === is.at(-1 - back)) back += 1;
  const between = (lines: readonly string[], mark: string) =>
    lines.slice(from, lines.length - back).map((line) => `${mark} ${line}`);
  return [...between(was, '-'), ...between(is, '+')];
}
