import { html, type Html, type Infer, type JsonSchema, integer } from '../../../kernel/index.ts';
import { reachableTiers, tiers } from '../../ledger/contract.ts';
import type { WebPage } from '../../pages/contract.ts';
import type { NameRow } from '../listing.ts';
import { shownScore } from '../listing/order.ts';
import { facetsOf, narrowed, sorted, type Facets, type Filter } from '../listing/query.ts';
import { marketStyle } from './style.ts';
import { capital, tierChip } from './tier.ts';

const text = { type: 'string', maxLength: 200, default: '' } as const;

/** Schema of the query of the page; an absent or empty member is no filter. */
export const marketQuery = {
  type: 'object',
  properties: {
    q: { ...text, description: 'Words to look for' },
    tier: { ...text, description: 'Only this certification tier' },
    namespace: { ...text, description: 'Only this namespace' },
    category: { ...text, description: 'Only this category' },
    sort: { ...text, description: 'Order of the list' },
    offset: integer(0, 10_000, 0, 'Number of skipped items'),
  },
} as const satisfies JsonSchema;

type MarketQuery = Pick<Infer<typeof marketQuery>, keyof typeof marketQuery.properties>;

const pageSize = 20;
const sorts = { score: 'Score', name: 'Name', published: 'Newest' } as const;

/** Shows the market: search, facets, sorting, and one card per name with its four public fields. */
export function marketPage(names: readonly NameRow[], query: MarketQuery, publicUrl: string): WebPage {
  const filter = filterOf(query);
  const rows = new Map(names.map((row) => [row.entry, row]));
  const entries = names.map(({ entry }) => entry);
  const sort = isSort(query.sort) ? query.sort : 'score';
  const found = sorted(narrowed(entries, filter), { sort }).flatMap((entry) => rows.get(entry) ?? []);
  const offset = query.offset < found.length ? query.offset : 0;
  const shown = found.slice(offset, offset + pageSize);
  return {
    title: 'Marketplace',
    description: 'Orbs with a reputation that anyone can recompute from signed receipts.',
    section: '/marketplace',
    canonical: `${publicUrl}/marketplace`,
    style: marketStyle,
    cache: 'public, max-age=60',
    main: html`<h1>Marketplace</h1>
      <p class="lede">
        Orbs you can run here, each with a score that is computed only from signed receipts. Open one to see the
        evidence behind its number.
      </p>
      ${search(query)}
      <div class="market">
        ${filters(facetsOf(entries, filter), query)}
        <section aria-labelledby="results">
          <div class="results-head">
            <h2 id="results">${headline(found.length, query)}</h2>
            ${sortLinks(sort, query)}
          </div>
          ${
            shown.length === 0
              ? nothing(names.length)
              : html`<ul class="cards">
                  ${shown.map(card)}
                </ul>`
          }
          ${pages(found.length, offset, query)}
        </section>
      </div>`,
  };
}

function isSort(text: string): text is keyof typeof sorts {
  return Object.hasOwn(sorts, text);
}

function filterOf({ q, tier, namespace, category }: MarketQuery): Filter {
  const known = reachableTiers.find((name) => name === tier);
  return {
    ...(q.trim() === '' ? {} : { q }),
    ...(known === undefined ? {} : { tier: known }),
    ...(namespace === '' ? {} : { namespace }),
    ...(category === '' ? {} : { category }),
  };
}

function search({ q, tier, namespace, category, sort }: MarketQuery): Html {
  const kept = Object.entries({ tier, namespace, category, sort }).filter(([, value]) => value !== '');
  return html`<search>
    <form class="search" action="/marketplace" method="get">
      <div>
        <label class="hidden" for="q">Search Orbs</label
        ><input
          id="q"
          name="q"
          type="search"
          value="${q}"
          placeholder="Search by name, purpose or tag"
          maxlength="200"
          autocomplete="off"
        />
      </div>
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button class="button" type="submit">Search</button>
    </form>
  </search>`;
}

/** Makes the address of the page with part of the query changed; a change leads back to the first page. */
function addressOf(query: MarketQuery, change: Partial<MarketQuery>): string {
  const next = { ...query, offset: 0, ...change };
  const pairs = Object.entries(next).filter(([, value]) => value !== '' && value !== 0);
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? '/marketplace' : `/marketplace?${text}`;
}

const facetTitles = { tier: 'Tier', category: 'Category', namespace: 'Publisher namespace' } as const;

function filters(facets: Facets, query: MarketQuery): Html {
  const lists = (['tier', 'category', 'namespace'] as const).map((name) => facet(name, facets, query));
  const chosen = [query.tier, query.category, query.namespace].filter((value) => value !== '');
  const hint = chosen.length > 0 && html`<span class="muted">${chosen.join(', ')}</span>`;
  // The window width decides which of the two is shown; the other is hidden, also from screen readers.
  return html`<nav class="filters wide" aria-label="Filters">${lists}</nav>
    <details class="filters narrow">
      <summary>Filters ${hint}</summary>
      <nav aria-label="Filters">${lists}</nav>
    </details>`;
}

function facet(name: keyof typeof facetTitles, facets: Facets, query: MarketQuery): Html {
  const values = Object.entries(facets[name]);
  if (name === 'tier') values.sort(([one], [other]) => rankOf(other) - rankOf(one));
  const label = (value: string): string =>
    name === 'tier' ? (value === 'none' ? 'No tier yet' : capital(value)) : value;
  const all = Object.values(facets[name]).reduce((sum, count) => sum + count, 0);
  const link = (value: string, text: string, count: number): Html =>
    html`<li>
      <a
        ${value === '' && html`class="all"`}
        href="${addressOf(query, { [name]: value })}"
        ${query[name] === value && html`aria-current="true"`}
        ><span>${text}</span><span class="count nums">${count}<span class="hidden"> Orbs</span></span></a
      >
    </li>`;
  return html`<h2>${facetTitles[name]}</h2>
    <ul aria-label="${facetTitles[name]}">
      ${link('', 'All', all)}${values.map(([value, count]) => link(value, label(value), count))}
    </ul>`;
}

function rankOf(tier: string): number {
  return tiers.findIndex((name) => name === tier);
}

function headline(total: number, { q }: MarketQuery): string {
  const count = total === 1 ? '1 Orb' : `${total} Orbs`;
  return q.trim() === '' ? count : `${count} for “${q.trim()}”`;
}

function sortLinks(sort: string, query: MarketQuery): Html {
  return html`<nav class="sorts" aria-label="Sort">
    <span aria-hidden="true">Sort by</span>${Object.entries(sorts).map(
      ([name, text]) =>
        html`<a
          href="${addressOf(query, { sort: name === 'score' ? '' : name })}"
          ${name === sort && html` aria-current="true"`}
          >${text}</a
        >`,
    )}
  </nav>`;
}

function card({ name, entry }: NameRow): Html {
  const { listing, reputation } = entry;
  const { status, suspended, usage } = reputation;
  const { title, version, namespace, tags, published_at } = listing;
  const score = shownScore(entry);
  return html`<li>
    <article class="card panel">
      <h3><a href="/marketplace/${encodeURIComponent(listing.orb_id)}">${title}</a></h3>
      <p class="mono">${name}@${version}</p>
      <p>${listing.description}</p>
      <div class="row">
        ${tierChip(reputation)}${entry.signed && html`<span class="chip">Signed by its publisher</span>`}${tags.slice(0, 6).map((tag) => html`<span class="chip">${tag}</span>`)}
      </div>
      <p class="small">
        By ${namespace} · published <time>${published_at.slice(0, 10)}</time> ·
        ${usage.runs_30d === 1 ? '1 run' : `${usage.runs_30d} runs`} in 30 days
      </p>
      <p class="card-score">
        ${
          score === null
            ? html`<strong class="dash">–</strong><span>${suspended ? 'suspended' : 'unscored'}</span>`
            : html`<strong>${score}</strong><span>${status === 'provisional' ? 'provisional' : 'score'}</span>`
        }
      </p>
    </article>
  </li>`;
}

function nothing(published: number): Html {
  return published === 0
    ? html`<div class="panel empty">
        <h3>No Orbs are published yet</h3>
        <p>
          An Orb appears here when its owner publishes it. It gets a score when other callers run it. Publish an Orb:
        </p>
        <pre tabindex="0" role="region" aria-label="Command"><code>orb marketplace publish demo.echo@1.0.0</code></pre>
      </div>`
    : html`<div class="panel empty">
        <h3>No Orbs match</h3>
        <p>Use fewer words, or remove a filter.</p>
        <a class="button button-quiet" href="/marketplace">Show all Orbs</a>
      </div>`;
}

function pages(total: number, offset: number, query: MarketQuery): Html | undefined {
  if (total <= pageSize) return undefined;
  const before = Math.max(0, offset - pageSize);
  const after = offset + pageSize;
  return html`<nav class="pages" aria-label="Pages">
    <span
      >${offset > 0 && html`<a class="button button-quiet" rel="prev" href="${addressOf(query, { offset: before })}">Previous</a>`}</span
    >
    <span class="muted nums">${offset + 1}–${Math.min(after, total)} of ${total}</span>
    <span
      >${after < total && html`<a class="button button-quiet" rel="next" href="${addressOf(query, { offset: after })}">Next</a>`}</span
    >
  </nav>`;
}
