import { runEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useLiveList } from '../../frame/live.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import type { ActOn } from '../../parts/act.ts';
import { ApiCall } from '../../parts/code.ts';
import { IdLink } from '../../parts/id-link.ts';
import { ListTable } from '../../parts/list-table.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { loaded } from '../../parts/notice.ts';
import { PrincipalName } from '../../parts/principal.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { EditSchedule } from './create.ts';
import { pathOf, Remove, RunNow, ScheduleState, Turn } from './schedule.ts';
import type { Schedule, ScheduleRun } from '../../frame/wire.ts';

/** One schedule: its next times, what became of the last ones, and how to pause or delete it. */
export function OneSchedule({ params: { orbiset_id = '', schedule_id = '' }, query }: ScreenProps) {
  const path = `/orbisets/${encodeURIComponent(orbiset_id)}/schedules/${encodeURIComponent(schedule_id)}`;
  const reading = useGet<Schedule>(path);
  const { value, reload } = reading;
  if (query['change'] !== undefined && value !== undefined)
    return html`<${EditSchedule} of=${value} onDone=${reload} />`;
  return html`<${Page}
    title=${value?.orb_id ?? 'Schedule'}
    above=${{ href: hrefOf('/schedules', { orbiset: orbiset_id }), name: 'Schedules' }}
    about=${html`<${Id} id=${schedule_id} />`}
    acts=${value && html`<${Acts} of=${value} onDone=${reload} />`}
  >
    ${loaded(
      reading,
      (schedule) =>
        html`<${About} of=${schedule} />
          <${Slots} path=${path} />
          <${ApiCall} call=${{ path }} />`,
      'Loading the schedule',
    )}
  <//>`;
}

function Acts({ of: schedule, onDone }: ActOn<Schedule>) {
  const { orb_id, orbiset_id } = schedule;
  const executes = useScope('orbs:execute');
  return html`${
      executes &&
      html`<${RunNow} of=${schedule} onDone=${onDone} />
        <a class="button button-quiet" href=${hrefOf('/try', { orb_id, orbiset_id })}>Try it</a>
        <a class="button button-quiet" href=${hrefOf(pathOf(schedule), { change: 'yes' })}>Change</a>`
    } <${Turn} of=${schedule} onDone=${onDone} /><${Remove} of=${schedule} />`;
}

const overlaps = {
  skip: 'The run is skipped if the previous one has not ended.',
  queue: 'The run waits in the queue if the previous one has not ended.',
} as const;
const missed = {
  none: 'Times that were missed are not made up for.',
  one: 'After missed times, one run makes up for all of them.',
} as const;

function About({ of }: { readonly of: Schedule }) {
  const { cron, timezone, overlap, catch_up, until, mode, upcoming = [] } = of;
  return html`<section class="panel stack">
    <${Facts}
      of=${[
        ['Status', html`<${ScheduleState} of=${of} />`],
        ['Times', html`<code>${cron}</code> in ${timezone}`],
        [
          'Next runs',
          upcoming.length === 0
            ? 'None'
            : html`<ul class="plain">
                ${upcoming.map((at) => html`<li key=${at}><${Time} at=${at} both /></li>`)}
              </ul>`,
        ],
        ['Last possible run', until && html`<${Time} at=${until} both />`],
        ['Overlap', overlaps[overlap]],
        ['Missed times', missed[catch_up]],
        ['Orbiset', of.orbiset_id],
        ['Runs as', html`<${PrincipalName} of=${of.principal} />`],
        ['Key', html`<${IdLink} id=${of.key_id} />`],
        ['Mode', mode === 'test' ? 'test: sandbox providers only' : mode],
        ['Created', html`<${Time} at=${of.created_at} both />`],
      ]}
    />
    <p class="small muted">The inputs are stored sealed and are never shown.</p>
  </section>`;
}

const names = ['run', 'runs'] as const;

function Slots({ path }: { readonly path: string }) {
  const list = useLiveList<ScheduleRun>({
    ...{ path: `${path}/runs?limit=20`, member: 'runs', idOf: ({ planned_at }) => planned_at, types: runEvents, names },
  });
  return html`<section class="stack">
    <div class="row spread">
      <h2>Latest runs</h2>
      <${LiveBar} list=${list} names=${names} />
    </div>
    <${ListTable}
      list=${list}
      caption="Latest runs"
      columns=${columns}
      empty=${html`<p class="muted">Its first time has not come yet.</p>`}
      more="Older ones"
    />
  </section>`;
}

const tones = {
  run: 'good',
  started: 'good',
  denied: 'bad',
  overlapped: 'warn',
  missed: 'warn',
  failed: 'bad',
} as const;

const columns: readonly Column<ScheduleRun>[] = [
  { title: 'Planned', cell: ({ planned_at }) => html`<${Time} at=${planned_at} both />` },
  {
    title: 'Outcome',
    cell: ({ outcome, code }) =>
      html`<${Status} of=${outcome} tone=${tones[outcome]} /> ${code !== undefined && html`<code>${code}</code>`}`,
  },
  {
    title: 'Run',
    cell: ({ run_id: run }) => (run === undefined ? '–' : html`<${Id} id=${run} href=${hrefOf(`/runs/${run}`)} />`),
  },
  {
    title: 'Status of the run',
    cell: ({ run_id, status }) =>
      status === undefined ? (run_id === undefined ? '–' : 'not finished') : html`<${Status} of=${status} />`,
  },
];
