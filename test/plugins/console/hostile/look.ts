import { expect } from 'chai';
import type { Page } from 'playwright-core';

interface Seen {
  readonly text: string;
  readonly hits: number;
  readonly kept: number;
  readonly strange: readonly string[];
}

/** What markup of a stranger would add. */
const strange = [
  ...['script', 'iframe', 'img', 'base', 'meta[http-equiv]', 'style', 'link', 'form[action]', 'a', 'use', 'object'],
  ...['embed', 'math', '[srcdoc]', '[style]', '[onerror]', '[onload]', '[onclick]', '[onmouseover]', '[onfocus]'],
].join();
const ownParts = 'script[src="/console/app.js"], img[src="/logo"], link[href^="/"]';

/** A script that counts what a text of a stranger would run. */
export const watching = 'window.hits = 0; window.hit = () => { window.hits += 1 }';

/** Says what a page shows, and fails for what on it is not of the console itself. */
export async function lookAt(page: Page): Promise<string> {
  await page.evaluate(`document.querySelectorAll('main details').forEach((one) => { one.open = true })`);
  const seen = await page.evaluate<Seen>(`({
    text: [document.body.innerText, ...[...document.querySelectorAll('input, textarea, select')].map((one) => one.value)].join('\\n'),
    hits: window.hits,
    kept: localStorage.length + sessionStorage.length + document.cookie.length,
    strange: [...document.querySelectorAll(${JSON.stringify(strange)})]
      .filter((one) => !one.matches(${JSON.stringify(ownParts)}))
      .filter((one) => one.localName !== 'a' || !/^https?:$/.test(one.protocol))
      .map((one) => one.outerHTML.slice(0, 300)),
  })`);
  expect(seen.strange).to.deep.equal([]);
  expect(seen.hits, 'scripts that ran').to.equal(0);
  expect(seen.kept, 'storage and readable cookies').to.equal(0);
  return seen.text;
}
