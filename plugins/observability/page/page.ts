import { defineRoute, html, timestamp, webPage, type Html, type Reply, type Route } from '../../../kernel/index.ts';
import { services, statusTitles, type Status } from '../contract.ts';
import type { Snapshot } from '../status/board.ts';
import type { Past } from '../status/history.ts';
import type { StatusScope } from '../routes/status.ts';
import { windowDays } from '../status/uptime.ts';
import { entriesOf, incidentOf, maintenanceOf } from '../status/wire.ts';
import { serviceRow } from './bars.ts';
import { happenings } from './happenings.ts';
import { capital, moment, period, sign } from './word.ts';

const headlines: Readonly<Record<Status, string>> = {
  operational: 'All services are operational',
  under_maintenance: 'Under maintenance',
  degraded_performance: 'Some services are slower or less complete than they should be',
  partial_outage: 'Some services are not available',
  major_outage: 'The platform is not available',
};

const mostShown = 50;

/** Makes `/status.html`. */
export function statusPageRoute({ board, history, publicUrl }: StatusScope): Route {
  return defineRoute({
    method: 'GET',
    path: '/status.html',
    operationId: 'showStatusPage',
    service: 'shared',
    public: true,
    produces: 'text/html',
    summary: 'Read how the platform is (a page)',
    navigation: { name: 'Status', position: 30, about: 'How every service is now, and was in the last 30 days' },
    anyQuery: true,
    query: { type: 'object', properties: {} } as const,
    handle: () => statusPage(board.snapshot(), history.of(windowDays), publicUrl),
  });
}

function statusPage(snapshot: Snapshot, past: Past, publicUrl: string): Reply {
  const { status, planned, at } = snapshot;
  const open = entriesOf(snapshot, publicUrl);
  const shown = new Set(open.map(({ id }) => id));
  const over = past.incidents.filter(({ incident_id }) => !shown.has(incident_id)).slice(0, mostShown);
  const coming = planned.map((window) => maintenanceOf(window, publicUrl, at));
  const done = past.maintenance.filter(({ maintenance_id: id }) => !shown.has(id)).slice(0, mostShown);
  return webPage({
    title: `Status: ${statusTitles[status]}`,
    description: `How the platform is, and has been for 30 days: ${statusTitles[status]}.`,
    section: '/status.html',
    canonical: `${publicUrl}/status.html`,
    style: statusStyle,
    cache: 'public, max-age=10',
    main: html`<h1>Status</h1>
      ${banner(snapshot)}
      ${section('now', 'Incidents and work in progress', happenings(open, 'No incidents and no planned work.'))}
      ${coming.length > 0 && section('planned', 'Planned maintenance', happenings(coming, ''))}
      <section class="status-section" aria-labelledby="services">
        <h2 id="services">Services</h2>
        <ul class="services panel">
          ${services.map((name) => serviceRow(name, snapshot, past.days))}
        </ul>
      </section>
      ${section(
        'past',
        period(snapshot) === 'in 30 days' ? 'The last 30 days' : capital(period(snapshot)),
        html`${!past.complete && html`<p class="note note-warn">The store cannot be read now; what is over may be missing here.</p>`}
        ${happenings(
          [
            ...over.map((incident) => incidentOf(incident, publicUrl)),
            ...done.map((window) => maintenanceOf(window, publicUrl, at)),
          ].sort((one, other) => (one.started_at < other.started_at ? 1 : -1)),
          'No incident and no maintenance.',
        )}`,
      )}
      <p class="foot-note">
        As of ${moment(timestamp(at))}. The same as data: <a href="/status">/status</a>,
        <a href="/status/history">/status/history</a>, and for tools
        <a href="/api/v2/summary.json">/api/v2/summary.json</a>.
      </p>`,
  });
}

function banner(snapshot: Snapshot): Html {
  const { status, uptime } = snapshot;
  return html`<div class="panel now is-${status}" role="status">
    ${sign(status)}
    <div>
      <p>${headlines[status]}</p>
      <p class="muted">Status: ${statusTitles[status]}</p>
    </div>
    <p class="uptime">
      <strong>${uptime.observed_seconds === 0 ? '–' : html`${uptime.uptime_pct} %`}</strong
      ><a class="small" href="/status/formula">uptime ${period(snapshot)}: how it is counted</a>
    </p>
  </div>`;
}

function section(id: string, title: string, content: Html): Html {
  return html`<section class="status-section" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}

// CSS of the status page, added to the shared stylesheet.
const statusStyle = `
.now{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:.75rem 1.1rem;align-items:center;margin-top:1.5rem;padding:1.3rem 1.5rem;border-left:6px solid var(--line-strong)}
.now svg{width:2.4rem;height:2.4rem;display:block}.now p:first-child{font-size:1.3rem;font-weight:650;letter-spacing:-.015em}.now .uptime{text-align:right}.now .uptime strong{display:block;font-size:1.6rem;line-height:1.15;letter-spacing:-.03em;font-variant-numeric:tabular-nums}
.is-operational{color:var(--good)}.is-degraded_performance,.is-partial_outage{color:var(--warn)}.is-major_outage{color:var(--bad)}.is-under_maintenance{color:var(--link)}
.now.is-operational{border-left-color:var(--good)}.now.is-degraded_performance,.now.is-partial_outage{border-left-color:var(--warn)}.now.is-major_outage{border-left-color:var(--bad)}.now.is-under_maintenance{border-left-color:var(--link)}.now p,.now .uptime{color:var(--text)}.now .muted{color:var(--muted)}
.status-section{margin-top:2rem}.status-section>h2{margin-bottom:.8rem}
.services{list-style:none;padding:.35rem 1.5rem}.services>li{padding:1.15rem 0;border-bottom:1px solid var(--line)}.services>li:last-child{border-bottom:0}
.service-head{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:.2rem 1rem}.service-head h3{font-size:1.0625rem}
.word{display:inline-flex;align-items:center;gap:.4rem;font-weight:650;white-space:nowrap}.word svg{width:1em;height:1em;flex:none}.word::first-letter{text-transform:capitalize}
.days{display:block;width:100%;height:2.4rem;margin-top:.75rem}.days rect{fill:var(--line)}.days .d-operational{fill:var(--good)}.days .d-degraded_performance,.days .d-partial_outage{fill:var(--warn)}.days .d-major_outage{fill:var(--bad)}.days .d-under_maintenance{fill:var(--link)}
.days-foot{display:flex;justify-content:space-between;gap:.25rem 1rem;margin-top:.35rem;font-size:.8125rem;color:var(--muted)}
.services details{margin-top:.2rem}.services summary{font-size:.875rem;font-weight:500;color:var(--muted)}.services table{font-size:.875rem}.services td,.services th{padding-block:.35rem}
.happenings{list-style:none;display:grid;gap:.85rem}.happening:target{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
.happening h3{font-size:1.0625rem}.happening .row{margin-top:.45rem;color:var(--muted);font-size:.9375rem}
.updates{list-style:none;margin-top:.9rem;border-left:2px solid var(--line);padding-left:1rem;display:grid;gap:.75rem}.updates p{margin-top:.1rem;white-space:pre-line;overflow-wrap:anywhere}.updates .when{font-size:.8125rem;color:var(--muted)}.updates strong::first-letter{text-transform:capitalize}
.quiet{color:var(--muted)}.foot-note{margin-top:2rem;color:var(--muted);font-size:.9375rem}
@media(max-width:40rem){.now{grid-template-columns:auto minmax(0,1fr);padding:1.1rem}.now .uptime{grid-column:1/-1;text-align:left;border-top:1px solid var(--line);padding-top:.75rem}.services{padding:.2rem 1.1rem}}
@media(forced-colors:active){.days rect{forced-color-adjust:none}}
`.replaceAll('\n', '');
