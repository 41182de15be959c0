import { html, trusted, type Html, type Reply } from '../../kernel/index.ts';
import type { MarkdownSection, Pages, WebPage } from '../pages/contract.ts';
import type { Group } from './library.ts';
import type { SampleRequest } from './page.ts';
import { samples, tryIt, tryScript } from './try-it.ts';
import { blockStyle, createBlocks } from './block.ts';
import { addressOf, followLink, mostHits, type Hit, type Page } from './page.ts';

/** Data for the frame around each page. */
export interface Frame {
  readonly groups: readonly Group[];
  readonly version: string;
  readonly publicUrl: string;
  readonly pages: Pages;
}

/** Shows one page: navigation, its text, and its table of contents. */
export async function documentPage(frame: Frame, page: Page): Promise<Reply> {
  const blocks = createBlocks();
  const { html: text, sections } = await frame.pages.markdown(page.source(), {
    headings: [1, 6],
    anchors: true,
    link: (target) => followLink(page.path, target),
    block: blocks.show,
  });
  const answer = {
    title: page.title,
    description: firstWords(sections),
    section: /^(?:reference\/api$|api\/)/.test(page.path) ? '/docs/api' : '/docs',
    canonical: frame.publicUrl + addressOf(page.path),
    cache: 'public, max-age=60',
    ...scriptOf(page, blocks.copied(), frame.pages),
    main: html`<article class="prose${page.path === 'reference/api' && ' listing'}">
        ${withCalls(withContents(text, sections), page.sample?.(), frame)}
      </article>
      ${neighbours(frame.groups, page.path)}`,
  };
  return pageIn(frame, { here: page }, answer);
}

function scriptOf({ sample }: Page, copied: boolean, { copyScript }: Pages) {
  if (sample !== undefined) return { script: copyScript + tryScript, connects: true } as const;
  return copied ? { script: copyScript } : {};
}

/** Leads to the pages before and after this one, in the order of the navigation. */
function neighbours(groups: readonly Group[], path: string): Html | undefined {
  const all = groups.flatMap(({ pages }) => pages);
  const at = all.findIndex((page) => page.path === path);
  if (at < 0 && path !== 'index') return undefined;
  const link = (page: Group['pages'][number] | undefined, word: string, rel: string): Html | undefined =>
    page && html`<a rel="${rel}" href="${addressOf(page.path)}">${word}: ${page.title}</a>`;
  return html`<nav class="docs-next" aria-label="Next and previous page">
    ${link(all[at - 1], 'Previous', 'prev')} ${link(all[at + 1], 'Next', 'next')}
  </nav>`;
}

/** Puts the examples of a route before the tables of its members, which may be long. */
function withCalls(text: Html, request: SampleRequest | undefined, frame: Frame): Html {
  if (request === undefined) return text;
  const calls = html`<div class="calls">${samples(request, frame)} ${tryIt(request)}</div>`.toString();
  return trusted(text.toString().replace('<h2', () => `${calls}<h2`));
}

/** Shows the results of a search. */
export function searchPage(frame: Frame, query: string, hits: readonly Hit[]): Reply {
  const asked = query.trim() !== '';
  return pageIn(
    frame,
    { query },
    {
      title: asked ? `${query} · Search` : 'Search',
      description: 'Search the documentation.',
      main: html`<h1>Search</h1>
        <p class="lede" role="status">
          ${asked ? found(query, hits.length) : 'Type one or more words above. A result contains all of them.'}
        </p>
        ${
          hits.length > 0 &&
          html`<ol class="hits">
            ${hits.map(hit)}
          </ol>`
        }`,
    },
  );
}

/** Shows the page for a missing page: 404. */
export function missingPage(frame: Frame, path: string): Reply {
  return pageIn(
    frame,
    {},
    {
      status: 404,
      title: 'Page not found',
      description: 'The documentation has no such page.',
      main: html`<h1>Page not found</h1>
        <p class="lede">
          The documentation of this version has no page <span class="mono">${path}</span>. Search for it, or
          <a href="/docs">open the list of pages</a>.
        </p>`,
    },
  );
}

function found(query: string, count: number): string {
  if (count === 0) return `No results for “${query}”. Try other words.`;
  if (count === mostHits) return `The best ${count} results for “${query}”:`;
  return `${count} ${count === 1 ? 'result' : 'results'} for “${query}”, best first.`;
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

// Lays out the content of a page: search and navigation at its side.
function pageIn(
  frame: Frame,
  { here, query = '' }: Place,
  { main, ...page }: WebPage & { readonly main: Html },
): Reply {
  const list = navigationOf(frame, here);
  const laidOut = html`<div class="docs">
    <div class="docs-side">
      <form class="docs-search" action="/docs/search" role="search">
        <label for="q">Search the documentation</label>
        <div>
          <input id="q" name="q" type="search" maxlength="200" value="${query}" /><button class="button">Search</button>
        </div>
      </form>
      <div class="wide">${list}</div>
      <details class="narrow">
        <summary>All pages</summary>
        ${list}
      </details>
    </div>
    <div class="docs-main">
      ${main}
      <p class="docs-version">Version ${frame.version}</p>
    </div>
  </div>`;
  return frame.pages.page({ section: '/docs', style: docsStyle, ...page, main: laidOut });
}

const navigations = new WeakMap<readonly Group[], Html>();

// The pages of searches, which are not kept, all have the same one.
function navigationOf(frame: Frame, here: Page | undefined): Html {
  if (here !== undefined) return navigation(frame, here);
  const known = navigations.get(frame.groups) ?? navigation(frame, here);
  navigations.set(frame.groups, known);
  return known;
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

// The page of a route or an adapter marks the page that lists it in the navigation.
function current(path: string, here: Page | undefined): Html | undefined {
  if (path === here?.path) return html` aria-current="page"`;
  return path === here?.listedOn ? html` aria-current="true"` : undefined;
}

// Puts the table of contents below the page title. With fewer than three entries it does not help the reader.
function withContents(text: Html, sections: readonly MarkdownSection[]): Html {
  const shown = sections.filter(({ level }) => level === 2);
  if (shown.length < 3) return text;
  const list = html`<nav class="docs-toc${shown.length > 7 && ' long'}" aria-label="On this page">
    <ul>
      ${shown.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`.toString();
  return trusted(text.toString().replace('</h1>', (end) => end + list));
}

function firstWords(sections: readonly MarkdownSection[]): string {
  const text = sections.find(({ text: own }) => own.trim() !== '')?.text ?? '';
  return text.replace(/\s+/g, ' ').trim().slice(0, 160);
}

// Styles of the documentation in addition to the stylesheet of all pages.
const docsStyle = `
${blockStyle}.docs-next{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.75rem 1.5rem}.docs-next a{display:inline-flex;align-items:center;min-height:2.75rem;font-weight:600}.docs-next [rel=next]{margin-left:auto}
.docs{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:2.5rem;align-items:start}
.docs>*{min-width:0}.docs-search>div{display:flex;gap:.4rem}.docs-search .button{padding:0 .9rem}
.docs-nav{margin-top:1.25rem;font-size:.9375rem}.docs-nav ul{list-style:none;margin-bottom:1rem}.docs-group{font-size:.8125rem;font-weight:650;color:var(--muted);margin-bottom:.15rem}
.docs-nav a{display:block;padding:.28rem .6rem;border-radius:8px;color:var(--text);text-decoration:none}.docs-nav a:hover{background:var(--link-soft)}.docs-nav a[aria-current]{background:var(--link-soft);color:var(--link);font-weight:600}
.docs-main{display:flex;flex-direction:column;gap:1.25rem}.docs-version{border-top:1px solid var(--line);padding-top:.9rem;color:var(--muted);font-size:.875rem}
.docs-toc{float:right;width:15rem;margin:0 0 1.25rem 1.75rem;padding:.85rem 1.1rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);font-size:.9375rem}.docs-toc.long{float:none;width:auto;margin:0 0 1.5rem}.docs-toc.long ul{columns:3 13rem}.docs-toc ul{list-style:none}.docs-toc li{margin:.2rem 0}
.prose>*+*{margin-top:.95rem}.prose h1{margin-bottom:.4rem;overflow-wrap:anywhere}.prose h2{margin-top:2.2rem;font-size:1.4rem}.prose h3{margin-top:1.6rem;font-size:1.125rem}.prose h4{margin:1.2rem 0 0;font-size:1rem}
.prose>p,.prose>ul,.prose>ol{max-width:46rem}.prose ul:not(.docs-toc ul),.prose ol{padding-left:1.4rem}.prose li+li{margin-top:.25rem}.prose li>ul{margin-top:.25rem}
.prose blockquote{margin-inline:0;border-left:3px solid var(--line-strong);padding-left:1rem;color:var(--muted)}.prose pre,.prose .scroll{clear:right}.prose td,.prose th{overflow-wrap:normal}.prose td code{overflow-wrap:anywhere}.prose td:first-child code{overflow-wrap:normal}
.calls{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem;margin-top:2rem}.calls>*{min-width:0}.samples summary{min-height:2.5rem}.samples h2{font-size:1.4rem}.try pre{max-height:30rem;overflow:auto;margin-top:.5rem}.try h2{margin-bottom:.4rem}.try form{margin:1rem 0}.try .mono{font-family:var(--mono);font-size:.875rem}textarea{display:block;width:100%;font:.875rem/1.5 var(--mono);color:var(--text);background:var(--surface);border:1px solid var(--line-strong);border-radius:10px;padding:.6rem .75rem}
.calls{clear:right}.prose .calls h2{margin-top:0}
@media(max-width:40rem){.listing :is(table,tbody,tr,td){display:block}.listing thead{display:none}.listing tr{padding:.6rem 0;border-bottom:1px solid var(--line)}.listing td{border:0;padding:.1rem 0}}
.hits{list-style:none;display:grid;gap:1.1rem}.hits a{font-weight:600}.hits p{overflow-wrap:anywhere}
.docs .narrow{display:none}
@media(max-width:60rem){.docs{grid-template-columns:minmax(0,1fr);gap:1rem}.docs .wide{display:none}.docs .narrow{display:block;margin-top:.75rem}.docs-toc{float:none;width:auto;margin:0 0 1rem}}
`.replaceAll('\n', '');
