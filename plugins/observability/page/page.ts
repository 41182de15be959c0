import { defineRoute, html, timestamp, type Html, type Route } from '../../../kernel/index.ts';
import type { Pages, WebPage } from '../../pages/contract.ts';
import { statusTitles, type Status } from '../contract.ts';
import type { Snapshot } from '../status/board.ts';
import type { Past } from '../status/history.ts';
import type { StatusScope } from '../routes/status.ts';
import { windowDays } from '../status/uptime.ts';
import { entriesOf, maintenanceOf, newestEntries } from '../status/wire.ts';
import { incomplete, serviceSection } from './bars.ts';
import { happenings } from './events.ts';
import { statusScript, stateOf } from './script.ts';
import { statusStyle } from './style.ts';
import { capital, moment, period, sign } from './word.ts';

const headlines: Readonly<Record<Status, string>> = {
  operational: 'All services are operational',
  under_maintenance: 'Under maintenance',
  degraded_performance: 'Some services are slow or incomplete',
  partial_outage: 'Some services are not available',
  major_outage: 'The platform is not available',
};

const mostShown = 50;

/** The feed that browsers and readers find from the pages. */
export const feed = { href: '/status/feed.atom', title: 'Incidents and maintenance' } as const;

/** Makes `/status.html`. */
export const statusPageRoute = (pages: Pages, { board, history, publicUrl }: StatusScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/status.html',
    operationId: 'showStatusPage',
    service: 'shared',
    public: true,
    produces: 'text/html',
    summary: 'Read the status of the platform (a page)',
    navigation: { name: 'Status', position: 30, about: 'Current status and 30-day history' },
    anyQuery: true,
    query: { type: 'object', properties: {} } as const,
    handle: async () => pages.page(statusPage(await board.snapshot(), await history.of(windowDays), publicUrl)),
  });

function statusPage(snapshot: Snapshot, past: Past, publicUrl: string): WebPage {
  const { status, planned, at } = snapshot;
  const open = entriesOf(snapshot, publicUrl, at);
  const shown = new Set(open.map(({ id }) => id));
  const over = past.incidents.filter(({ incident_id }) => !shown.has(incident_id)).slice(0, mostShown);
  const coming = planned.map((window) => maintenanceOf(window, publicUrl, at));
  const done = past.maintenance.filter(({ maintenance_id: id }) => !shown.has(id)).slice(0, mostShown);
  return {
    title: `Status: ${statusTitles[status]}`,
    description: `Current status and 30-day history: ${statusTitles[status]}.`,
    section: '/status.html',
    canonical: `${publicUrl}/status.html`,
    style: statusStyle,
    cache: 'public, max-age=10',
    script: statusScript,
    connects: true,
    data: { state: stateOf({ ...snapshot, incidents: open }) },
    feed,
    main: html`<div class="title-row">
        <h1>Status</h1>
        <p id="live" role="status">Reload to see changes.</p>
      </div>
      ${banner(snapshot)}
      ${section('now', 'Open incidents and maintenance', happenings(open, 'No open incidents or maintenance.'))}
      ${coming.length > 0 && section('planned', 'Planned maintenance', happenings(coming, ''))}
      ${serviceSection(snapshot, past)}
      ${section(
        'past',
        period(snapshot) === 'in 30 days' ? 'The last 30 days' : capital(period(snapshot)),
        html`${incomplete(past)}
        ${happenings(newestEntries({ incidents: over, maintenance: done }, publicUrl, at), 'No incidents or maintenance.')}`,
      )}
      ${footNote(at)}`,
  };
}

function footNote(at: number): Html {
  return html`<p class="foot-note">
    As of ${moment(timestamp(at))}. <a href="/status/history.html">The last 90 days</a> ·
    <a href="/status/feed.atom">Feed (Atom)</a> · as data: <a href="/status">/status</a>,
    <a href="/status/history">/status/history</a>, and for tools
    <a href="/api/v2/summary.json">/api/v2/summary.json</a>.
  </p>`;
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
      ><a class="small" href="/status/formula">uptime ${period(snapshot)}: how it is calculated</a>
    </p>
  </div>`;
}

function section(id: string, title: string, content: Html): Html {
  return html`<section class="status-section" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}
