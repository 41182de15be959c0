import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Time } from '../../parts/time.ts';
import { incidentEvents, State } from '../incidents/words.ts';
import { providerEvents } from '../providers/provider.ts';
import type { Incident, Swap } from '../../frame/wire.ts';

/** Lists the last swaps of providers. */
export function LatestSwaps() {
  const reading = useGet<{ readonly swaps: readonly Swap[] }>('/swaps?limit=5');
  useEvents(providerEvents, reading.reload, reading.reload);
  return html`<section class="panel stack" aria-labelledby="latest-swaps">
    <h2 id="latest-swaps">Last swaps</h2>
    ${loaded(reading, ({ swaps }) =>
      swaps.length === 0
        ? html`<p class="muted">No swaps yet.</p>`
        : html`<ul class="items">
            ${swaps.map(
              ({ swap_id: id, orb_id: orb, from, to, state, reason, started_at: at }) =>
                html`<li key=${id}>
                  <a href=${hrefOf(`/providers/${encodeURIComponent(orb)}`)}>${orb}</a>
                  <span>${from ?? 'none'} → ${to}</span> <${Status} of=${state} /> <${Time} at=${at} />
                  ${reason && html`<p class="small muted">${reason}</p>`}
                </li>`,
            )}
          </ul>`,
    )}
  </section>`;
}

/** Lists the last incidents, resolved ones too. */
export function LatestIncidents() {
  const reading = useGet<{ readonly incidents: readonly Incident[] }>('/incidents?limit=5');
  useEvents(incidentEvents, reading.reload, reading.reload);
  return html`<section class="panel stack" aria-labelledby="latest-incidents">
    <h2 id="latest-incidents">Last incidents</h2>
    ${loaded(reading, ({ incidents }) =>
      incidents.length === 0
        ? html`<p class="muted">No incidents yet.</p>`
        : html`<ul class="items">
              ${incidents.map(
                (incident) =>
                  html`<li key=${incident.incident_id}>
                    <a href=${hrefOf(`/incidents/${incident.incident_id}`)}>${incident.title}</a>
                    <${State} of=${incident} /> <${Time} at=${incident.starts_at} />
                  </li>`,
              )}
            </ul>
            <p><a href=${hrefOf('/incidents', { state: 'all' })}>Show all</a></p>`,
    )}
  </section>`;
}
