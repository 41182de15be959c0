import type { ComponentChildren } from 'preact';
import { withQuery } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { runEvents } from '../../frame/events.ts';
import { useFollowing } from '../../frame/following.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { SelectField } from '../../parts/field.ts';
import { loaded } from '../../parts/notice.ts';
import { durationOf } from '../../parts/time.ts';
import { OutcomeFigure, PercentileFigure, StepTable } from '../charts/figures.ts';
import { countOf, erring, errorRate, errorsOf, figure, percent, periods, runsOf, usualStep } from '../charts/series.ts';
import type { Stats } from '../../frame/wire.ts';

/** Shows how many runs there were, how they ended and how long they took; the last 24 hours unless chosen. */
export function Numbers({ step = usualStep }: { readonly step?: string | undefined }) {
  const reading = useGet<Stats>(withQuery('/stats', { step }));
  useFollowing(runEvents, reading.reload);
  const choose = (chosen: string): void => go(hrefOf('/', { step: chosen }), { replace: true });
  return html`<section class="stack" aria-labelledby="numbers">
    <div class="section-head">
      <h2 id="numbers">Runs</h2>
      <${SelectField} label="Period" options=${periods} value=${step} onChange=${choose} />
    </div>
    ${loaded(reading, (stats) => html`<${Tiles} stats=${stats} /><${Figures} stats=${stats} />`, 'Counting')}
  </section>`;
}

const minuteMs = 60_000;

// What is rounded to zero is not zero.
const perMinute = (rate: number): string => (rate > 0 && rate < 0.01 ? '< 0.01' : figure(rate));

function Tiles({ stats }: { readonly stats: Stats }) {
  const [{ overall } = { overall: nothing }] = stats.series;
  const { total, p50_ms, p95_ms } = overall;
  const minutes = (Math.min(serverNow(), Date.parse(stats.to)) - Date.parse(stats.from)) / minuteMs;
  const errors = errorsOf(overall);
  const denied = countOf(overall, 'denied');
  const all = runsOf(stats);
  return html`<dl class="tiles">
    <${Tile} name="Runs" href=${all} value=${figure(total)}>${perMinute(total / Math.max(1, minutes))} per minute<//>
    <${Tile} name="Error rate" href=${runsOf(stats, erring)} value=${percent(errorRate(overall))}>
      ${errors === 1 ? '1 run' : `${figure(errors)} runs`}
    <//>
    <${Tile} name="Denied" href=${runsOf(stats, { status: 'denied' })} value=${figure(denied)}>by policies<//>
    <${Tile} name="p50" href=${all} value=${durationOf(p50_ms)}>half of the runs are faster<//>
    <${Tile} name="p95" href=${all} value=${durationOf(p95_ms)}>95 % of the runs are faster<//>
  </dl>`;
}

const nothing: Stats['series'][number]['overall'] = { total: 0, statuses: {} };

interface TileProps {
  readonly name: string;
  readonly value: string;
  /** The list behind it. */
  readonly href: string;
  readonly children?: ComponentChildren;
}

function Tile({ name, value, href, children }: TileProps) {
  return html`<div class="tile panel">
    <dt>${name}</dt>
    <dd>
      <a class="tile-value nums" href=${href}><span class="hidden">${name} </span>${value}</a>
      <span class="small muted">${children}</span>
    </dd>
  </div>`;
}

function Figures({ stats }: { readonly stats: Stats }) {
  const [series] = stats.series;
  return html`<div class="panel stack">
    <div class="columns">
      <${OutcomeFigure} stats=${stats} series=${series} />
      <${PercentileFigure} stats=${stats} series=${series} />
    </div>
    <${StepTable} stats=${stats} series=${series} caption="Runs: figures" />
    <p><a href=${hrefOf('/charts', { step: stats.step })}>By Orb, provider, principal or key</a></p>
  </div>`;
}
