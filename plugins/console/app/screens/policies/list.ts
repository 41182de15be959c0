import { html } from '../../frame/html.ts';
import { useEvents } from '../../frame/events.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Empty, Loading, Notice, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Diagnostics } from './diagnostics.ts';
import { usePolicies } from './every-policy.ts';
import { counted, shortOf } from './words.ts';
import type { EngineStatus, Policy } from '../../frame/wire.ts';

const columns: readonly Column<Policy>[] = [
  { title: 'Policy', cell: ({ id }) => html`<a href=${hrefOf(`/policies/${id}`)}>${id}</a>` },
  { title: 'Status', cell: ({ active, draft }) => html`<${State} active=${active} draft=${draft} />` },
  { title: 'Applies to', cell: ({ action = 'every action', active }) => (active ? action : '–') },
  { title: 'Mode', cell: ({ mode = '–' }) => mode },
  { title: 'Tests', cell: ({ tests, active }) => (active ? (tests ? 'yes' : 'none') : '–') },
  { title: 'Title', cell: ({ title = '' }) => html`<div class="wide-cell">${title}</div>` },
];

function State({ active, draft }: { readonly active: boolean; readonly draft: boolean }) {
  return html`<span class="row">
    ${active ? html`<${Status} of="active" tone="good" />` : html`<${Status} of="draft" tone="warn" />`}
    ${active && draft && html`<span class="chip">has a draft</span>`}
  </span>`;
}

/** Lists the active policies and the drafts, and shows the status of the engine. */
export function Policies() {
  const list = usePolicies();
  const engine = useGet<EngineStatus>('/policies/-/status');
  const reload = (): void => {
    list.reload();
    engine.reload();
  };
  useEvents(['policy.activated'], reload, reload);
  const mayWrite = useScope('policies:write');
  const policies = list.value ?? [];
  const drafts = policies.filter(({ draft }) => draft).length;
  const acts = html`${mayWrite && html`<a class="button button-quiet" href=${hrefOf('/policies/-/new')}>New policy</a>`}
    <a class="button button-quiet" href=${hrefOf('/policies/-/revisions')}>Revisions</a>
    <a class="button button-quiet" href=${hrefOf('/policies/-/decisions')}>Decisions</a>`;
  return html`<${Page}
    title="Policies"
    about="Rules for runs, swaps and publications. An action needs one policy that allows it and none that denies it."
    acts=${acts}
  >
    <${ProblemNote} problem=${list.problem ?? engine.problem} retry=${reload} />
    ${
      drafts > 0 &&
      html`<${Notice} tone="warn">
        <p>
          ${counted(drafts, 'draft')} ${drafts === 1 ? 'is' : 'are'} not active.${' '}
          <a href=${hrefOf('/policies/-/drafts')}>Review and activate</a>
        </p>
      <//>`
    }
    ${engine.value && html`<${Engine} engine=${engine.value} />`}
    ${list.value === undefined && list.loading && html`<${Loading} />`}
    ${
      list.value &&
      html`<${Table}
        caption="Policies"
        columns=${columns}
        rows=${policies}
        rowKey=${({ id }: Policy) => id}
        empty=${html`<${Empty} title="No active policies"
          ><p>
            Without a policy that allows it, every action is denied. Create a policy, or add files to the policy folder.
          </p><//
        >`}
      />`
    }
  <//>`;
}

const count = (policies: number): string => (policies === 1 ? '1 policy' : `${policies} policies`);

const compilers: Readonly<Record<string, string>> = {
  wasm: 'ready',
  building: 'is being built',
  precompiled: 'none; the active revision was compiled earlier',
  absent: 'none: install Go or set ORB_POLICY_COMPILER',
};

function Engine({ engine }: { readonly engine: EngineStatus }) {
  const { health, revision, compiler, rejected } = engine;
  return html`${
      rejected &&
      html`<${Notice} tone="bad">
        <p><strong>The policy folder has ${counted(rejected.errors, 'error')} and was not activated</strong></p>
        <p>The last valid revision stays active. The folder was rejected at <${Time} at=${rejected.at} />.</p>
        <${Diagnostics} of=${rejected.diagnostics} />
      <//>`
    }
    <section class="panel">
      <h2>Engine</h2>
      <${Facts}
        of=${[
          ['Health', html`<${Status} of=${health} tone=${health === 'operational' ? 'good' : 'bad'} />`],
          [
            'Active revision',
            revision === null
              ? 'none: every action is denied'
              : html`<code title=${revision}>${shortOf(revision)}</code> with ${count(engine.policies)}`,
          ],
          ['Compiler', compilers[compiler] ?? compiler],
        ]}
      />
    </section>`;
}
