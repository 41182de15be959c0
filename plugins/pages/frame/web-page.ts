import { createHash } from 'node:crypto';
import { html, reply, trusted, type BodyOf, type Brand, type Html, type Section } from '../../../kernel/index.ts';
import type { Pages, WebPage } from '../contract.ts';
import { accentStyle, footOf, headOf, markSvg, noticeOf } from './frame.ts';
import { pageStyle } from './page-style.ts';

/** What all pages of an installation have in common. */
export interface Installation {
  readonly brand: Brand;
  /** Version of the program, semver. */
  readonly version: string;
}

interface Around {
  readonly head: Html;
  readonly foot: Html;
}

/** Makes what makes pages. */
export function createPage({ brand, version }: Installation): Pages['page'] {
  const accent = accentStyle(brand);
  const known = new WeakMap<readonly Section[], Map<string, Around>>();
  // The sections are few, and all pages of one have the same head and foot.
  const aroundOf = (sections: readonly Section[], { section, saved }: WebPage): Around => {
    const ofSections = known.get(sections) ?? new Map<string, Around>();
    known.set(sections, ofSections);
    const name = `${saved} ${section}`;
    const parts = ofSections.get(name) ?? {
      head: headOf(brand, sections, { section, saved: saved === true }),
      foot: footOf(sections, version),
    };
    ofSections.set(name, parts);
    return parts;
  };
  return (page) => {
    const styles = [stylesOf(page), accent].filter((text) => text !== '');
    const policy = policyOf(page, styles);
    // A policy inside a document cannot contain the last directive.
    const headers = { 'Content-Security-Policy': `${policy}; frame-ancestors 'none'` };
    // The last result: a cached page is requested with the same sections many times.
    let written: { readonly sections: readonly Section[]; readonly answer: ReturnType<BodyOf> } | undefined;
    const body: BodyOf = (sections) => {
      if (written?.sections !== sections) {
        const setting = { brand, sections, styles, policy, around: aroundOf(sections, page) };
        // As bytes: a document that is kept is not encoded for each request.
        written = { sections, answer: { body: Buffer.from(documentOf(page, setting).toString()), headers } };
      }
      return written.answer;
    };
    return reply({
      status: page.status ?? 200,
      type: 'text/html; charset=utf-8',
      headers: {
        ...page.headers,
        'Cache-Control': page.cache ?? 'no-store',
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': 'interest-cohort=()',
      },
      body,
    });
  };
}

const styleSheets = new Map<string, string>();

// The rules of pages are few and long: a text that is the same string each time is hashed once.
function stylesOf({ style = '' }: WebPage): string {
  const whole = styleSheets.get(style) ?? pageStyle + style;
  if (styleSheets.size < mostHashes) styleSheets.set(style, whole);
  return whole;
}

function policyOf({ script, connects, saved }: WebPage, styles: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src ${styles.map((style) => `'${hashOf(style)}'`).join(' ')}`,
    ...(script === undefined
      ? []
      : [`script-src '${hashOf(script)}'`, "require-trusted-types-for 'script'", "trusted-types 'none'"]),
    ...(connects === undefined ? [] : ["connect-src 'self'"]),
    saved === undefined ? "img-src 'self' data:" : 'img-src data:',
    saved === undefined ? "form-action 'self'" : "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
}

const hashes = new Map<string, string>();
const mostHashes = 200;

// The styles and scripts are few and long.
function hashOf(text: string): string {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const hash = `sha256-${createHash('sha256').update(text).digest('base64')}`;
  if (hashes.size < mostHashes) hashes.set(text, hash);
  return hash;
}

interface Setting {
  readonly brand: Brand;
  readonly sections: readonly Section[];
  readonly styles: readonly string[];
  readonly policy: string;
  readonly around: Around;
}

function documentOf(page: WebPage, { brand, sections, styles, policy, around }: Setting): Html {
  const { title, description, canonical, feed, main, script, data = {}, saved } = page;
  if (script !== undefined && /<\/script|<!--/i.test(script)) throw new Error('a script would end its own element');
  const icon = brand.logo === undefined || saved ? `data:image/svg+xml,${encodeURIComponent(markSvg)}` : '/logo';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        ${saved && html`<meta http-equiv="Content-Security-Policy" content="${policy}" />`}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · ${brand.name}</title>
        <meta name="description" content="${description}" />
        <meta name="color-scheme" content="light dark" />
        ${saved && html`<meta name="referrer" content="no-referrer" />`}
        <meta property="og:title" content="${title}" />
        <meta property="og:site_name" content="${brand.name}" />
        <meta property="og:description" content="${description}" />
        <meta property="og:type" content="website" />
        ${canonical !== undefined && html`<link rel="canonical" href="${canonical}" />`}
        ${feed !== undefined && html`<link rel="alternate" type="application/atom+xml" href="${feed.href}" title="${feed.title}" />`}
        ${styles.map((style) => trusted(`<style>${style}</style>`))}
        <link rel="icon" href="${icon}" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        ${noticeOf(brand)}${around.head}
        <main id="main" tabindex="-1">
          <div class="wrap">${typeof main === 'function' ? main(sections) : main}</div>
        </main>
        ${around.foot}
        ${Object.entries(data).map(([id, value]) => trusted(`<script type="application/json" id="${id}">${inScript(value)}</script>`))}
        ${script !== undefined && trusted(`<script>${script}</script>`)}
      </body>
    </html> `;
}

// Inside a script element only `<` could end the element.
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
