import { createHash } from 'node:crypto';
import { html, trusted, type Html, type HtmlPart } from './html.ts';
import { pageStyle } from './page-style.ts';
import { reply, type NavigationEntry, type Reply, type Route } from '../route.ts';

/** A public page: the content of the frame that all pages share. */
export interface WebPage {
  /** Title of the page itself; the name of the site is added. */
  readonly title: string;
  /** One sentence for sites that link to the page. */
  readonly description: string;
  /** Path of the section that the navigation marks as current. */
  readonly section?: string;
  /** Absolute address that search engines should use. */
  readonly canonical?: string;
  readonly main: HtmlPart;
  /** Rules of this page beside the shared stylesheet; the program's own text. */
  readonly style?: string;
  /** 200 unless given. */
  readonly status?: number;
  /** `Cache-Control`; `no-store` unless given. */
  readonly cache?: string;
}

/** A route that every page leads to. */
export interface Section extends NavigationEntry {
  readonly path: string;
}

/** Lists the sections of the navigation: the routes that declare one, in the order of their positions. */
export function sectionsOf(routes: readonly Route[]): readonly Section[] {
  return routes
    .flatMap(({ path, navigation }) => (navigation === undefined ? [] : [{ path, ...navigation }]))
    .sort((one, other) => one.position - other.position);
}

/** A page without its navigation, which depends on the plugins that run. */
export class UnframedPage {
  readonly #page: WebPage;
  readonly #style: string;

  constructor(page: WebPage, style: string) {
    this.#page = page;
    this.#style = style;
  }

  /** Writes the whole document with its navigation. */
  framed(sections: readonly Section[]): string {
    return documentOf(this.#page, this.#style, sections).toString();
  }

  /** Writes the document without navigation, for tests of one page. */
  toString(): string {
    return this.framed([]);
  }
}

/**
 * Makes the answer of a page: one HTML document without a script and without anything from other sites. Its
 * Content-Security-Policy allows this stylesheet by hash, pictures and forms of this address, and nothing else.
 */
export function webPage(page: WebPage): Reply {
  const style = pageStyle + (page.style ?? '');
  return reply({
    status: page.status ?? 200,
    type: 'text/html; charset=utf-8',
    headers: {
      'Cache-Control': page.cache ?? 'no-store',
      'Content-Security-Policy': policyOf(style),
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'interest-cohort=()',
    },
    body: new UnframedPage(page, style),
  });
}

function policyOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function documentOf(page: WebPage, style: string, sections: readonly Section[]): Html {
  const { title, description, section, canonical, main } = page;
  const inHead = sections.filter(({ foot }) => foot === undefined);
  const inFoot = sections.filter(({ foot }) => foot !== undefined);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Agent Orb Platform</title>
        <meta name="description" content="${description}" />
        <meta name="color-scheme" content="light dark" />
        <meta property="og:title" content="${title}" />
        <meta property="og:description" content="${description}" />
        <meta property="og:type" content="website" />
        ${canonical !== undefined && html`<link rel="canonical" href="${canonical}" />`}
        ${trusted(`<style>${style}</style>`)}
        <link rel="icon" href="${icon}" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="site-head">
          <div class="wrap">
            <a class="brand" href="${inHead[0]?.path ?? '#main'}">${mark}<span>Agent Orb Platform</span></a>
            <nav class="site-nav" aria-label="Site">
              <ul>
                ${inHead.map(
                  ({ path, name }) =>
                    html`<li><a href="${path}" ${path === section && html` aria-current="page"`}>${name}</a></li>`,
                )}
              </ul>
            </nav>
          </div>
        </header>
        <main id="main" tabindex="-1"><div class="wrap">${main}</div></main>
        <footer class="site-foot">
          <div class="wrap">
            ${inFoot.map(
              ({ path, name, foot }) =>
                html`<p>${foot}</p>
                  <p><a href="${path}">${name}</a></p>`,
            )}
          </div>
        </footer>
      </body>
    </html> `;
}

// The same mark as a picture of its own, so that no browser asks for /favicon.ico.
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26"><circle cx="13" cy="13" r="13" fill="#fff"/><circle cx="13" cy="13" r="11" fill="none" stroke="#141a22" stroke-width="2"/><circle cx="13" cy="13" r="5" fill="#141a22"/><circle cx="20.5" cy="5.5" r="4" fill="#3b82f6"/></svg>',
)}`;

const mark = html`<svg width="26" height="26" viewBox="0 0 26 26" fill="none" aria-hidden="true" focusable="false">
  <circle cx="13" cy="13" r="11.5" stroke="currentColor" stroke-width="2" />
  <circle cx="13" cy="13" r="5" fill="currentColor" />
  <circle cx="20.5" cy="5.5" r="3.5" fill="#3b82f6" />
</svg>`;
