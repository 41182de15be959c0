import { html, type Html } from '../../../kernel/index.ts';
import { services, serviceTitles, statuses, statusTitles, type ServiceName, type Status } from '../contract.ts';
import type { Day, DayPart } from '../status/schema.ts';
import type { Snapshot } from '../status/board.ts';
import type { Past } from '../status/history.ts';
import { capital, period, word } from './word.ts';

/** Shows the services, each with its status and its days. */
export function serviceSection(snapshot: Snapshot, { days }: Pick<Past, 'days'>): Html {
  return html`<section class="status-section" aria-labelledby="services">
    <h2 id="services">Services</h2>
    <ul class="services panel">
      ${services.map((name) => serviceRow(name, snapshot, days))}
    </ul>
  </section>`;
}

/** Says that a past is not complete; undefined when it is. */
export function incomplete({ complete }: Pick<Past, 'complete'>): Html | undefined {
  if (complete) return undefined;
  return html`<p class="note note-warn">The database cannot be read now. Past incidents may be missing here.</p>`;
}

// Shows one service: its status, its days as bars, and the same days as a table for readers who cannot see the bars.
function serviceRow(service: ServiceName, snapshot: Snapshot, days: readonly Day[]): Html {
  const { uptime_pct, observed_seconds } = snapshot.byService[service];
  const parts = days.map(({ day, services }) => ({ day, part: services[service] }));
  const title = serviceTitles[service];
  return html`<li>
    <div class="service-head">
      <h3>${title}</h3>
      ${word(snapshot.services[service])}
    </div>
    ${bars(title, parts.toReversed())}
    <p class="days-foot nums">
      <span>${parts.length} days ago</span
      ><span>${observed_seconds === 0 ? 'no data yet' : html`${uptime_pct} % uptime ${period(snapshot)}`}</span
      ><span>today</span>
    </p>
    ${table(title, parts)}
  </li>`;
}

type DayOfService = { readonly day: string; readonly part: DayPart };

// A worse day has a shorter bar, so the colours are not the only difference.
const heights = {
  operational: 40,
  under_maintenance: 34,
  degraded_performance: 29,
  partial_outage: 21,
  major_outage: 13,
} as const satisfies Record<Status, number>;
const unseenHeight = 4;

function bars(title: string, days: readonly DayOfService[]): Html {
  const step = 10;
  return html`<svg
    class="days"
    viewBox="0 0 ${days.length * step - 3} 40"
    preserveAspectRatio="none"
    role="img"
    aria-label="${summary(title, days)}"
  >
    ${days.map(({ day, part: { status } }, index) => {
      const height = status === undefined ? unseenHeight : heights[status];
      return html`<rect
        class="d-${status ?? 'none'}"
        x="${index * step}"
        y="${40 - height}"
        width="${step - 3}"
        height="${height}"
        ><title>${day}: ${status === undefined ? 'no data' : statusTitles[status]}</title></rect
      >`;
    })}
  </svg>`;
}

function summary(title: string, days: readonly DayOfService[]): string {
  const counted = statuses
    .map((status) => ({ status, count: days.filter(({ part }) => part.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${statusTitles[status]}`);
  const unseen = days.filter(({ part }) => part.status === undefined).length;
  const all = [...counted, ...(unseen === 0 ? [] : [`${unseen} no data`])];
  return `${title}, last ${days.length} days: ${all.join(', ')}`;
}

function table(title: string, days: readonly DayOfService[]): Html {
  return html`<details>
    <summary>Day by day<span class="hidden"> of ${title}</span></summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Days of ${title}">
      <table>
        <caption class="hidden">
          ${title}, day by day, newest first
        </caption>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Worst status</th>
            <th scope="col" class="num">Uptime</th>
          </tr>
        </thead>
        <tbody>
          ${days.map(
            ({ day, part: { status, uptime_pct } }) =>
              html`<tr>
                <th scope="row" class="nums">${day}</th>
                <td>${status === undefined ? 'No data' : capital(statusTitles[status])}</td>
                <td class="num">${uptime_pct === undefined ? '–' : html`${uptime_pct} %`}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
