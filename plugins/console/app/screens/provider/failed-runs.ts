import { withQuery } from '../../frame/api.ts';
import { runEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useLiveList } from '../../frame/live.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { ListTable } from '../../parts/list-table.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { Status } from '../../parts/status.ts';
import { Id, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { Run } from '../../frame/wire.ts';

const failing = 'failed,timed_out,indeterminate';
const names = ['run', 'runs'] as const;

/** The runs that failed for a provider, the newest first, each with its reason. */
export function FailedRuns({ name }: { readonly name: string }) {
  return useScope('runs:read') ? html`<${List} key=${name} name=${name} />` : null;
}

function List({ name }: { readonly name: string }) {
  const query = { provider: name, status: failing };
  const path = withQuery('/runs', { ...query, limit: 10 });
  const list = useLiveList<Run>({ path, member: 'runs', idOf: ({ run_id }) => run_id, types: runEvents, names });
  return html`<section class="stack">
    <div class="row">
      <h2>Runs that failed</h2>
      <${LiveBar} list=${list} names=${names} />
    </div>
    <${ListTable}
      list=${list}
      caption="Runs that failed"
      columns=${columns}
      empty=${html`<p class="muted">No run failed for it.</p>`}
      more="Older runs that failed"
    />
    <p>
      <a href=${hrefOf('/runs', query)}>Filter the runs that failed</a>${' · '}
      <a href=${hrefOf('/runs', { provider: name })}>All its runs</a>
    </p>
  </section>`;
}

const columns: readonly Column<Run>[] = [
  { title: 'Run', cell: ({ run_id }) => html`<${Id} id=${run_id} href=${hrefOf(`/runs/${run_id}`)} />` },
  { title: 'Status', cell: ({ status }) => html`<${Status} of=${status} />` },
  { title: 'Reason', cell: (run) => html`<${Reason} of=${run} />` },
  { title: 'Orb', cell: ({ orb_id }) => orb_id },
  { title: 'Started', cell: ({ started_at }) => html`<${Time} at=${started_at} />` },
];

// Only a run that is read alone has its reason in words.
function Reason({ of: { run_id, reason } }: { readonly of: Run }) {
  const { value } = useGet<Run>(`/runs/${run_id}`);
  return html`<span class="wide-cell">${value?.failure?.message ?? reason?.replaceAll('_', ' ') ?? '–'}</span>`;
}
