import { withQuery } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { runEvents } from '../../frame/events.ts';
import { useFollowing } from '../../frame/following.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField } from '../../parts/field.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import type { Stats } from '../../frame/wire.ts';
import { OutcomeFigure, PercentileFigure, RateFigure, StepTable } from './figures.ts';
import { Grouped } from './grouped.ts';
import { figure, periods, runsOf, usualStep } from './series.ts';

const groups = [
  ['', 'All runs, by outcome'],
  ['orb_id', 'By Orb'],
  ['provider', 'By provider'],
  ['status', 'By status'],
  ['principal', 'By principal'],
  ['key_id', 'By key'],
  ['orbiset_id', 'By Orbiset'],
] as const;

/** Shows runs, errors and durations over time, each chart next to its table. */
export function Charts({ query }: ScreenProps) {
  const { step = usualStep, by = '', from, to } = query;
  const path = withQuery('/stats', { by, ...(from === undefined ? stepOf(by, step) : { step, from, to }) });
  const reading = useGet<Stats>(path);
  useFollowing(runEvents, reading.reload);
  const choose = (name: string) => (chosen: string) =>
    go(hrefOf('/charts', { step, by, [name]: chosen }), { replace: true });
  return html`<${Page} title="Charts" about="Number, outcome and duration of runs over time, by when they started.">
    <div class="filters wide">
      <${SelectField} label="Period" options=${periods} value=${step} onChange=${choose('step')} />
      <${SelectField} label="Show" options=${groups} value=${by} onChange=${choose('by')} />
    </div>
    ${loaded(reading, (stats) => html`<${Drawn} stats=${stats} by=${by} />`, 'Counting')}
    <${ApiCall} call=${{ path }} />
  <//>`;
}

const hourMs = 3_600_000;

// Callers are counted by the hour. The path stays the same for an hour, as what is read follows from it.
function stepOf(by: string, step: string): Readonly<Record<string, string>> {
  if (step !== usualStep || (by !== 'principal' && by !== 'key_id')) return { step };
  const begin = (Math.floor(serverNow() / hourMs) - 23) * hourMs;
  return { step: 'hour', from: new Date(begin).toISOString() };
}

function Drawn({ stats, by }: { readonly stats: Stats; readonly by: string }) {
  const [series] = stats.series;
  if (series === undefined)
    return html`<${Empty} title="No runs in this period"
      ><p><a href=${hrefOf('/try')}>Try an Orb</a>, or choose a longer period.</p><//
    >`;
  if (by !== '') return html`<${Grouped} stats=${stats} by=${by} />`;
  const { total } = series.overall;
  return html`<section class="panel stack">
    <h2><a href=${runsOf(stats)}>${total === 1 ? '1 run' : `${figure(total)} runs`}</a></h2>
    <${OutcomeFigure} stats=${stats} series=${series} />
    <div class="columns">
      <${RateFigure} stats=${stats} series=${series} />
      <${PercentileFigure} stats=${stats} series=${series} />
    </div>
    <${StepTable} stats=${stats} series=${series} caption="All runs: figures" />
  </section>`;
}
