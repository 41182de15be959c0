import { html, markdown, trusted, webPage, type Html, type MarkdownSection, type Reply } from '../../kernel/index.ts';
import type { Group } from './library.ts';
import { addressOf, followLink, type Page } from './page.ts';
import { mostHits, type Hit } from './search.ts';
import { docsStyle } from './style.ts';

/** What stands around each page. */
export interface Frame {
  readonly groups: readonly Group[];
  readonly version: string;
  readonly publicUrl: string;
}

/** Shows one page: navigation, its text, and what stands on it. */
export async function documentPage(frame: Frame, page: Page): Promise<Reply> {
  const { html: text, sections } = await markdown(page.source(), {
    headings: [1, 6],
    anchors: true,
    link: (target) => followLink(page.path, target),
  });
  return webPage({
    title: page.title,
    description: firstWords(sections),
    section: '/docs',
    canonical: frame.publicUrl + addressOf(page.path),
    style: docsStyle,
    cache: 'public, max-age=60',
    main: layout(frame, { here: page }, html`<article class="prose">${withContents(text, sections)}</article>`),
  });
}

/** Shows what a search found. */
export function searchPage(frame: Frame, query: string, hits: readonly Hit[]): Reply {
  const asked = query.trim() !== '';
  return webPage({
    title: asked ? `${query} · Search` : 'Search',
    description: 'Search the documentation.',
    section: '/docs',
    style: docsStyle,
    main: layout(
      frame,
      { query },
      html`<h1>Search</h1>
        <p class="lede" role="status">
          ${asked ? found(query, hits.length) : 'Type words above. Pages that hold all of them are shown.'}
        </p>
        ${
          hits.length > 0 &&
          html`<ol class="hits">
            ${hits.map(hit)}
          </ol>`
        }`,
    ),
  });
}

/** Says that there is no such page: 404. */
export function missingPage(frame: Frame, path: string): Reply {
  return webPage({
    status: 404,
    title: 'No such page',
    description: 'The documentation has no such page.',
    section: '/docs',
    style: docsStyle,
    main: layout(
      frame,
      {},
      html`<h1>No such page</h1>
        <p class="lede">
          The documentation of this version has no page <span class="mono">${path}</span>. Search for it, or
          <a href="/docs">start at the index</a>.
        </p>`,
    ),
  });
}

function found(query: string, count: number): string {
  if (count === 0) return `No page holds all words of “${query}”. Take fewer or other words.`;
  if (count === mostHits) return `The best ${count} places that hold all words of “${query}”:`;
  return `${count} ${count === 1 ? 'place holds' : 'places hold'} all words of “${query}”, the best first.`;
}

function hit({ address, page, section, excerpt }: Hit): Html {
  return html`<li>
    <a href="${address}">${section === '' ? page : `${page}: ${section}`}</a>
    <p class="muted">${excerpt}</p>
  </li>`;
}

interface Place {
  readonly here?: Page;
  readonly query?: string;
}

function layout(frame: Frame, { here, query = '' }: Place, main: Html): Html {
  return html`<div class="docs">
    <div class="docs-side">
      <form class="docs-search" action="/docs/search" role="search">
        <label for="q">Search the documentation</label>
        <div>
          <input id="q" name="q" type="search" maxlength="200" value="${query}" /><button class="button">Search</button>
        </div>
      </form>
      <div class="wide">${navigation(frame, here)}</div>
      <details class="narrow">
        <summary>All pages</summary>
        ${navigation(frame, here)}
      </details>
    </div>
    <div class="docs-main">
      ${main}
      <p class="docs-version">Version ${frame.version}</p>
    </div>
  </div>`;
}

function navigation({ groups }: Frame, here: Page | undefined): Html {
  const link = ({ path, title }: Group['pages'][number]): Html =>
    html`<li><a href="${addressOf(path)}" ${current(path, here)}>${title}</a></li>`;
  return html`<nav class="docs-nav" aria-label="Documentation">
    ${groups.map(
      ({ title, pages }) =>
        html`<p class="docs-group">${title}</p>
          <ul>
            ${pages.map(link)}
          </ul>`,
    )}
  </nav>`;
}

// The page of a route or an adapter is marked by the page that lists it.
function current(path: string, here: Page | undefined): Html | undefined {
  if (path === here?.path) return html` aria-current="page"`;
  return path === here?.listedOn ? html` aria-current="true"` : undefined;
}

/** Puts the list of what stands on a page below its title. */
function withContents(text: Html, sections: readonly MarkdownSection[]): Html {
  const list = contents(sections)?.toString() ?? '';
  return trusted(text.toString().replace('</h1>', (end) => end + list));
}

// A list of two lines helps nobody.
function contents(sections: readonly MarkdownSection[]): Html | undefined {
  const shown = sections.filter(({ level }) => level === 2);
  if (shown.length < 3) return undefined;
  return html`<nav class="docs-toc${shown.length > 7 && ' long'}" aria-label="On this page">
    <ul>
      ${shown.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`;
}

function firstWords(sections: readonly MarkdownSection[]): string {
  const text = sections.find(({ text: own }) => own.trim() !== '')?.text ?? '';
  return text.replace(/\s+/g, ' ').trim().slice(0, 160);
}
