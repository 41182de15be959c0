import { dollars } from '../../../../terminal/money.ts';
import { withQuery } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { runEvents } from '../../frame/events.ts';
import { useFollowing } from '../../frame/following.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { loaded } from '../../parts/notice.ts';
import { Facts } from '../../parts/table.ts';
import { figure } from '../charts/series.ts';
import type { UsagePage } from '../../frame/wire.ts';

const dayMs = 86_400_000;
const spans = [
  [1, 'Today, UTC'],
  [7, 'Last 7 days'],
  [30, 'Last 30 days'],
] as const;

const dayBefore = (days: number): string => new Date(serverNow() - days * dayMs).toISOString().slice(0, 10);

/** Shows what calls of models cost; nothing where no model was called for 30 days. */
export function Spend() {
  const reading = useGet<UsagePage>(withQuery('/usage', { by: 'day', from: dayBefore(29), limit: 100 }));
  useFollowing(runEvents, reading.reload);
  const { value, problem } = reading;
  if (problem === undefined && (value === undefined || value.usage.length === 0)) return null;
  return html`<section class="panel stack" aria-labelledby="spend">
    <h2 id="spend">Cost of models</h2>
    ${loaded(reading, ({ usage }) => {
      const unpriced = usage.reduce((sum, { unpriced_calls: calls }) => sum + calls, 0);
      return html`<${Facts}
          of=${spans.map(([days, name]) => {
            const among = usage.filter(({ day = '' }) => day >= dayBefore(days - 1));
            const nanos = among.reduce((sum, { cost_nanos: cost }) => sum + cost, 0);
            const calls = among.reduce((sum, { calls: count }) => sum + count, 0);
            return [
              name,
              html`<a class="nums" href=${hrefOf('/usage', { days: String(days) })}>${dollars(nanos)}</a>
                <span class="muted"> in ${calls === 1 ? '1 call' : `${figure(calls)} calls`}</span>`,
            ];
          })}
        />
        ${unpriced > 0 && html`<p class="small muted">Without a cost in these 30 days: ${figure(unpriced)}.</p>`}`;
    })}
  </section>`;
}
