import { hrefOf, go } from '../../frame/router.ts';
import { html } from '../../frame/html.ts';
import { runEvents } from '../../frame/events.ts';
import { useLiveList } from '../../frame/live.ts';
import { Page } from '../../frame/page.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { withQuery } from '../../frame/api.ts';
import { ApiCall } from '../../parts/code.ts';
import { ListTable } from '../../parts/list-table.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { Empty } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Id, type Column } from '../../parts/table.ts';
import { Time, durationOf } from '../../parts/time.ts';
import { RunFilters, useCallQuery, type RunQuery } from './filters.ts';
import { reasonOf, timeOf } from './run.ts';
import type { Run } from '../../frame/wire.ts';

const names = ['run', 'runs'] as const;

const columns: readonly Column<Run>[] = [
  {
    title: 'Orb',
    cell: ({ run_id, orb_id }) => html`<a class="name-cell" href=${hrefOf(`/runs/${run_id}`)}>${orb_id}</a>`,
  },
  {
    title: 'Status',
    cell: (run) => {
      const reason = reasonOf(run);
      return html`<${Status} of=${run.status} />${reason && html`<span class="muted"> · ${reason}</span>`}`;
    },
  },
  {
    title: 'Provider',
    cell: ({ provider, mode }) =>
      html`${provider ?? '–'}${mode === 'sandbox' && html` <span class="chip">sandbox</span>`}`,
  },
  { title: 'Started', cell: (run) => html`<${Time} at=${timeOf(run)} />` },
  { title: 'Duration', figures: true, cell: ({ execution_ms }) => durationOf(execution_ms) },
  { title: 'Orbiset', cell: ({ orbiset_id }) => orbiset_id },
  { title: 'Run', cell: ({ run_id }) => html`<${Id} id=${run_id} href=${hrefOf(`/runs/${run_id}`)} />` },
];

/** Lists runs, newest first; new runs appear automatically. */
export function Runs({ query }: ScreenProps) {
  const asked = useCallQuery(query);
  const path = withQuery('/runs', { ...asked, limit: 50 });
  const list = useLiveList<Run>({ path, member: 'runs', idOf: ({ run_id }) => run_id, types: runEvents, names });
  const filtered = Object.keys(query).length > 0;
  return html`<${Page}
    title="Runs"
    about="All runs of Orbs and their results, newest first."
    acts=${html`<${LiveBar} list=${list} names=${names} />
      <a class="button button-quiet" href=${withQuery('/runs/export', asked)} download="runs.csv">Download CSV</a>`}
  >
    <${RunFilters} query=${query} onChange=${(values: RunQuery) => go(hrefOf('/runs', values))} />
    <${ListTable}
      list=${list}
      caption="Runs"
      columns=${columns}
      empty=${html`<${NoRuns} filtered=${filtered} />`}
      more="Show older runs"
    />
    <${ApiCall} call=${{ path: withQuery('/runs', asked) }} />
  <//>`;
}

function NoRuns({ filtered }: { readonly filtered: boolean }) {
  if (filtered)
    return html`<${Empty} title="No runs match the filters">
      <p><a href=${hrefOf('/runs')}>Show all runs</a>. New runs that match appear here automatically.</p>
    <//>`;
  return html`<${Empty} title="No runs yet">
    <p>
      <a href=${hrefOf('/try')}>Try an Orb</a>: the Orb demo.echo needs no configuration. Its run appears here
      automatically.
    </p>
  <//>`;
}
