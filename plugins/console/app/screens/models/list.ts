import type { ScreenProps } from '../../frame/screen.ts';
import type { Model } from '../../frame/wire.ts';
import type { Column } from '../../parts/table.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useKnown } from '../../frame/session.ts';
import { ApiCall } from '../../parts/code.ts';
import { Empty } from '../../parts/notice.ts';
import { Table } from '../../parts/table.ts';
import { loadedModels, OrbisetField, pathOf } from './orbiset.ts';

type Price = NonNullable<Model['orb']['prices']>[number];

/** A price of a model at one of its providers. */
interface PriceRow extends Price {
  readonly model: string;
}

/** Lists the models that the key can use, with their providers in order and their prices. */
export function Models({ query }: ScreenProps) {
  const { orbiset_id: orbiset = 'default' } = query;
  const path = pathOf(orbiset, '/models');
  const models = useGet<{ readonly data: readonly Model[] }>(path);
  return html`<${Page} title="Models" about="The models that your key can use, and the providers that may answer.">
    <${OrbisetField} screen="/models" value=${orbiset} query=${query} />
    ${loadedModels(models, ({ data }) => html`<${Found} models=${data} orbiset=${orbiset} />`)}
    <${ApiCall} call=${{ path }} />
  <//>`;
}

function Found({ models, orbiset }: { readonly models: readonly Model[]; readonly orbiset: string }) {
  const counts = useKnown('usage:read');
  const prices = models.flatMap(({ id: model, orb }) => (orb.prices ?? []).map((price) => ({ model, ...price })));
  return html`<${Table}
      caption="Models"
      columns=${columnsFor(orbiset)}
      rows=${models}
      rowKey=${({ id }: Model) => id}
      empty=${html`<${Empty} title="No models yet"
        ><p>
          Add a <a href="/docs/operate/model-providers">provider of models</a>. A provider without the setting
          <code>models</code> takes the vendor’s names, which are not listed.
        </p><//
      >`}
    />
    ${
      counts &&
      models.length > 0 &&
      html`<section class="stack">
        <h2>Prices per million tokens</h2>
        <${Table}
          caption="Prices"
          columns=${priceColumns}
          rows=${prices}
          rowKey=${({ model, provider }: PriceRow) => `${model}\n${provider}`}
          empty=${html`<${Empty} title="No model has a price"
            ><p>
              Calls have no cost until you <a href="/docs/operate/budgets">import prices</a> with
              <code>orb prices import</code>.
            </p><//
          >`}
        />
      </section>`
    }`;
}

const columnsFor = (orbiset: string): readonly Column<Model>[] => [
  { title: 'Model', cell: ({ id }) => html`<span class="name-cell">${id}</span>` },
  {
    title: 'Providers, in order',
    cell: ({ orb }) =>
      html`<ol class="plain row">
        ${orb.providers.map((name) => html`<li class="chip">${name}</li>`)}
      </ol>`,
  },
  { title: 'Input, per million', figures: true, cell: (model) => firstPrice(model, ({ input }) => input) },
  { title: 'Output, per million', figures: true, cell: (model) => firstPrice(model, ({ output }) => output) },
  {
    title: 'Actions',
    cell: ({ id }) => {
      const href = hrefOf('/playground', { model: id, orbiset_id: orbiset === 'default' ? '' : orbiset });
      return html`<a href=${href} aria-label=${`Try ${id}`}>Try</a>`;
    },
  },
];

// The first provider is the one that answers, unless it fails.
function firstPrice({ orb: { prices = [], providers } }: Model, of: (price: Price['per_mtok']) => string | undefined) {
  const price = prices.find(({ provider }) => provider === providers[0]);
  return price === undefined ? none : amount(of(price.per_mtok));
}

const none = html`<span class="muted">–</span>`;
const amount = (price: string | undefined) => (price === undefined ? none : `$${price}`);

const priceColumns: readonly Column<PriceRow>[] = [
  { title: 'Model', cell: ({ model }) => html`<span class="name-cell">${model}</span>` },
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Input', figures: true, cell: ({ per_mtok }) => amount(per_mtok.input) },
  { title: 'Output', figures: true, cell: ({ per_mtok }) => amount(per_mtok.output) },
  { title: 'Cache read', figures: true, cell: ({ per_mtok }) => amount(per_mtok.cache_read) },
  {
    title: 'Cache write',
    figures: true,
    cell: ({ per_mtok: { cache_write: written = {} } }) =>
      Object.keys(written).length === 0
        ? none
        : Object.entries(written)
            .map(([ttl, price]) => `${ttl} $${price}`)
            .join(', '),
  },
  { title: 'Valid from', cell: ({ valid_from }) => valid_from },
  { title: 'Other prices', cell: ({ tiered }) => (tiered ? 'for some calls' : none) },
];
