import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useList } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { ApiCall } from '../../parts/code.ts';
import { ListTable } from '../../parts/list-table.ts';
import { Empty, Loading } from '../../parts/notice.ts';
import { OrbisetField, useOrbiset } from '../../parts/orbiset-field.ts';
import { Id, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { pathOf, ScheduleState, Turn } from './schedule.ts';
import type { Schedule } from '../../frame/wire.ts';

const about = 'Orbs that run at the times of a cron pattern.';

/** Lists the schedules of an Orbiset; each can be paused and resumed here. */
export function Schedules({ query }: ScreenProps) {
  const orbiset = useOrbiset(query['orbiset']);
  const { id } = orbiset;
  const choose = (chosen: string): void => go(hrefOf('/schedules', { orbiset: chosen }), { replace: true });
  const create = html`<a class="button" href=${hrefOf('/schedules/new', { orbiset: id })}>New schedule</a>`;
  return html`<${Page} title="Schedules" about=${about} acts=${create}>
    <div class="filters"><${OrbisetField} of=${orbiset} onChange=${choose} /></div>
    ${id === undefined ? html`<${Loading} />` : id !== '' && html`<${ScheduleList} key=${id} orbiset=${id} />`}
  <//>`;
}

function ScheduleList({ orbiset }: { readonly orbiset: string }) {
  const path = `/orbisets/${encodeURIComponent(orbiset)}/schedules`;
  const list = useList<Schedule>({
    path: `${path}?limit=50`,
    member: 'schedules',
    idOf: ({ schedule_id }) => schedule_id,
  });
  return html`<${ListTable}
      list=${list}
      caption=${`Schedules of ${orbiset}`}
      columns=${columnsFor(() => void list.refresh())}
      empty=${html`<${Empty} title="No schedules yet">
        <p>Create one to run an Orb every day, every hour, or at any other times.</p>
        <p><a class="button" href=${hrefOf('/schedules/new', { orbiset })}>Create the first schedule</a></p>
      <//>`}
      more="Older schedules"
    />
    <${ApiCall} call=${{ path }} />`;
}

const columnsFor = (onDone: () => void): readonly Column<Schedule>[] => [
  {
    title: 'Orb',
    cell: (schedule) =>
      html`<a class="name-cell" href=${hrefOf(pathOf(schedule))}>${schedule.orb_id}</a>
        ${schedule.mode === 'test' && html`<span class="chip">test</span>`}`,
  },
  {
    title: 'Times',
    cell: ({ cron, timezone }) => html`<code>${cron}</code> <span class="muted">${timezone}</span>`,
  },
  { title: 'Status', cell: (schedule) => html`<${ScheduleState} of=${schedule} />` },
  { title: 'Next run', cell: ({ next_at }) => html`<${Time} at=${next_at} both />` },
  {
    title: 'Last run',
    cell: ({ last_run_id: run }) =>
      run === undefined ? html`<span class="muted">–</span>` : html`<${Id} id=${run} href=${hrefOf(`/runs/${run}`)} />`,
  },
  { title: 'Actions', cell: (schedule) => html`<${Turn} of=${schedule} onDone=${onDone} />` },
];
