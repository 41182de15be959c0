import { defineRoute, html, type Html, type Route } from '../../../kernel/index.ts';
import type { Pages } from '../../pages/contract.ts';
import type { StatusScope } from '../routes/status.ts';
import type { IncidentEntry } from '../status/schema.ts';
import { newestEntries } from '../status/wire.ts';
import { incomplete, serviceSection } from './bars.ts';
import { happenings } from './events.ts';
import { feed } from './page.ts';
import { statusScript } from './script.ts';
import { statusStyle } from './style.ts';

/** Days that the pages of the past show. */
export const pastDays = 90;

/** Makes `/status/history.html`: the last 90 days, with what happened in each month. */
export const historyPageRoute = (pages: Pages, { board, history, publicUrl, clock }: StatusScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/status/history.html',
    operationId: 'showStatusHistory',
    service: 'shared',
    public: true,
    produces: 'text/html',
    summary: 'Read the status of the last 90 days (a page)',
    anyQuery: true,
    async handle() {
      const past = await history.of(pastDays);
      const snapshot = await board.snapshot();
      return pages.page({
        title: 'Status: history',
        description: 'Status of each service in the last 90 days, with incidents and maintenance.',
        section: '/status.html',
        canonical: `${publicUrl}/status/history.html`,
        style: statusStyle,
        script: statusScript,
        cache: 'public, max-age=60',
        feed,
        main: html`<nav class="crumbs" aria-label="Breadcrumb">
            <ol>
              <li><a href="/status.html">Status</a></li>
              <li aria-current="page">History</li>
            </ol>
          </nav>
          <h1>The last ${pastDays} days</h1>
          ${incomplete(past)} ${serviceSection(snapshot, past)} ${months(newestEntries(past, publicUrl, clock.now()))}`,
      });
    },
  });

function months(entries: readonly IncidentEntry[]): Html | readonly Html[] {
  if (entries.length === 0)
    return html`<p class="status-section quiet">No incidents or maintenance in this period.</p>`;
  const byMonth = Map.groupBy(entries, ({ started_at }) => started_at.slice(0, 7));
  return [...byMonth].map(
    ([month, those]) =>
      html`<section class="status-section" aria-labelledby="m${month}">
        <h2 id="m${month}">${nameOf(month)}</h2>
        ${happenings(those, '')}
      </section>`,
  );
}

function nameOf(month: string): string {
  return new Date(`${month}-15T00:00:00Z`).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
