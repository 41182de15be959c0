import { createHash } from 'node:crypto';
import { accentStyle, bareFrame, footOf, headOf, markSvg, type Frame } from './frame.ts';
import { html, trusted, type Html, type HtmlPart } from './html.ts';
import { pageStyle } from './page-style.ts';
import { reply, type Reply } from '../route.ts';

/** A public page: the content of the frame that all pages share. */
export interface WebPage {
  /** Title of the page itself; the name of the site is added. */
  readonly title: string;
  /** One sentence for search engines and for sites that link to the page. */
  readonly description: string;
  /** Path of the section that the navigation marks as current. */
  readonly section?: string;
  /** Absolute address that search engines should use. */
  readonly canonical?: string;
  /** A feed of what the page shows. */
  readonly feed?: { readonly href: string; readonly title: string };
  /** Makes the content, or is it; a page that shows links to other sections gets them of the frame. */
  readonly main: HtmlPart | ((frame: Frame) => HtmlPart);
  /** Rules of this page beside the shared stylesheet; the program's own text. */
  readonly style?: string;
  /** The program's own script; the page works without it, or says what does not. */
  readonly script?: string;
  /** The script may send requests to this address. */
  readonly connects?: true;
  /** Values for the script, by the id of the element that holds them as JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The page works as a saved file: its policy stands in it, and it loads nothing at all. */
  readonly saved?: true;
  /** 200 unless given. */
  readonly status?: number;
  /** `Cache-Control`; `no-store` unless given. */
  readonly cache?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Framed {
  /** The document as it is sent: one that is kept is not written in bytes for each request. */
  readonly body: Buffer;
  readonly policy: string;
}

/** A page without its frame, which depends on the operator, the address and the plugins that run. */
export class UnframedPage {
  readonly #page: WebPage;
  /** The last result: a cached page is requested with the same frame many times. */
  #written: (Framed & { readonly frame: Frame }) | undefined;

  constructor(page: WebPage) {
    this.#page = page;
  }

  /** Writes the whole document, and its Content-Security-Policy. */
  framed(frame: Frame): Framed {
    if (this.#written?.frame !== frame) this.#written = { frame, ...this.#write(frame) };
    return this.#written;
  }

  #write(frame: Frame): Framed {
    const styles = [stylesOf(this.#page), accentStyle(frame.brand)].filter((text) => text !== '');
    const policy = policyOf(this.#page, styles);
    const text = documentOf(this.#page, { frame, styles, policy }).toString();
    return { body: Buffer.from(text), policy: framing(policy) };
  }

  /** Writes the document without a frame, for tests of one page. */
  toString(): string {
    return this.framed(bareFrame).body.toString();
  }
}

/** A text that depends on the operator, the address and the plugins that run, as a page does. */
export class UnframedText {
  readonly #make: (frame: Frame) => string;

  constructor(make: (frame: Frame) => string) {
    this.#make = make;
  }

  framed(frame: Frame): string {
    return this.#make(frame);
  }
}

/**
 * Makes the answer of a page: one HTML document without anything from other sites. Its Content-Security-Policy allows
 * its stylesheets and its script by hash, pictures and forms of this address, and nothing else.
 */
export function webPage(page: WebPage): Reply {
  return reply({
    status: page.status ?? 200,
    type: 'text/html; charset=utf-8',
    headers: {
      ...page.headers,
      'Cache-Control': page.cache ?? 'no-store',
      'Content-Security-Policy': framing(policyOf(page, [stylesOf(page)])),
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'interest-cohort=()',
    },
    body: new UnframedPage(page),
  });
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

// A policy inside a document cannot contain this directive.
function framing(policy: string): string {
  return `${policy}; frame-ancestors 'none'`;
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
  readonly frame: Frame;
  readonly styles: readonly string[];
  readonly policy: string;
}

function documentOf(page: WebPage, { frame, styles, policy }: Setting): Html {
  const { title, description, section, canonical, feed, main, script, data = {}, saved } = page;
  const { brand } = frame;
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
        ${partsOf(frame, section, saved === true).head}
        <main id="main" tabindex="-1">
          <div class="wrap">${typeof main === 'function' ? main(frame) : main}</div>
        </main>
        ${partsOf(frame, section, saved === true).foot}
        ${Object.entries(data).map(([id, value]) => trusted(`<script type="application/json" id="${id}">${inScript(value)}</script>`))}
        ${script !== undefined && trusted(`<script>${script}</script>`)}
      </body>
    </html> `;
}

interface Around {
  readonly head: Html;
  readonly foot: Html;
}

const around = new WeakMap<Frame, Map<string, Around>>();

// The sections are few, and all pages of one have the same head and foot.
function partsOf(frame: Frame, section: string | undefined, saved: boolean): Around {
  const ofFrame = around.get(frame) ?? new Map<string, Around>();
  around.set(frame, ofFrame);
  const name = `${saved} ${section}`;
  const parts = ofFrame.get(name) ?? { head: headOf(frame, section, saved), foot: footOf(frame) };
  ofFrame.set(name, parts);
  return parts;
}

// Inside a script element only `<` could end the element.
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
