import type { ScreenProps } from '../../frame/screen.ts';
import type { Budget } from '../../frame/wire.ts';
import type { Column } from '../../parts/table.ts';
import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Time } from '../../parts/time.ts';
import { counted } from './words.ts';

const scopes = ['tenant', 'principal', 'key', 'orbiset', 'provider', 'model'] as const;
const options = [['', 'All'], ...scopes.map((one) => [one, named(one)] as const)] as const;

/** Lists the budgets with what is spent, assumed and reserved in their present windows. */
export function Budgets({ query: { scope = '' } }: ScreenProps) {
  const path = withQuery('/budgets', { scope });
  const list = useList<Budget>({ path: withQuery(path, { limit: 50 }), member: 'budgets', idOf });
  const choose = (chosen: string): void => go(hrefOf('/budgets', { scope: chosen }), { replace: true });
  const refresh = html`<button class="button button-quiet" type="button" onClick=${() => void list.refresh()}>
    Refresh
  </button>`;
  return html`<${Page}
    title="Budgets"
    about="What calls of models may use: spent, assumed and reserved never exceed the limit together."
    acts=${refresh}
  >
    <div class="filters">
      <${SelectField} label="Budget of" value=${scope} options=${options} onChange=${choose} />
    </div>
    <${ListTable}
      list=${list}
      caption="Budgets"
      columns=${columns}
      empty=${html`<${Empty} title="No budget was used in its present window"
        ><p>
          A window appears with its first call. <a href="/docs/operate/budgets">Set budgets</a> in
          <code>plugins.budgets</code> of <code>platform.json</code>.
        </p><//
      >`}
      more="More budgets"
    />
    <p class="small muted">
      Assumed: all that a call had reserved, when its usage is unknown. Reserved: what calls under way may use at most.
    </p>
    <${ApiCall} call=${{ path }} />
  <//>`;
}

const idOf = ({ scope, subject, per, unit }: Budget): string => [scope, subject, per, unit].join('\n');

const left = ({ limit, spent, assumed, reserved }: Budget): number => Math.max(0, limit - spent - assumed - reserved);

const columns: readonly Column<Budget>[] = [
  {
    title: 'Budget of',
    cell: ({ scope, subject, name }) =>
      html`<span class="name-cell">${name ?? subject} <span class="muted">${named(scope)}</span></span>`,
  },
  { title: 'Per', cell: ({ per }) => per },
  { title: 'Limit', figures: true, cell: ({ limit, unit }) => counted(limit, unit) },
  { title: 'Spent', figures: true, cell: ({ spent, unit }) => counted(spent, unit) },
  { title: 'Assumed', figures: true, cell: ({ assumed, unit }) => counted(assumed, unit) },
  { title: 'Reserved', figures: true, cell: ({ reserved, unit }) => counted(reserved, unit) },
  {
    title: 'Left',
    figures: true,
    cell: (budget) =>
      left(budget) === 0 ? html`<${Status} of="used up" tone="bad" />` : counted(left(budget), budget.unit),
  },
  { title: 'Resets', cell: ({ resets_at }) => html`<${Time} at=${resets_at} />` },
];

function named(scope: (typeof scopes)[number]): string {
  return scope === 'orbiset' ? 'Orbiset' : scope;
}
