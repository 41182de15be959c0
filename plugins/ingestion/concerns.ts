import type { AwaitedReads } from '../../kernel/index.ts';
import type { Incidents } from './contract.ts';
import type { DeliveryReads } from './deliveries/reading.ts';
import type { IncidentReads } from './incidents/store/reading.ts';
import { concernOf, type Concern } from '../runtime/contract.ts';

const mostTitled = 5;

/** The concerns of ingestion: open incidents, and deliveries that could not be read. */
export function ingestionConcerns(
  incidents: Incidents,
  rows: Pick<IncidentReads, 'noted'>,
  deliveries: AwaitedReads<DeliveryReads>,
): readonly Concern[] {
  return [
    {
      name: 'open_incidents',
      scope: 'incidents:read',
      link: '/incidents?state=unresolved',
      async find() {
        const open = incidents.open().toReversed();
        const link = (id: string): string => `/incidents/${id}`;
        const items = open.map(({ incident_id: id, kind, starts_at: at }) => ({ id, title: kind, at, link: link(id) }));
        // Only these are shown.
        const newest = await Promise.all(
          items.slice(0, mostTitled).map(async (item) => {
            const title = (await rows.noted(item.id))?.row.shown.title;
            return { ...item, title: title || item.title };
          }),
        );
        return concernOf([...newest, ...items.slice(mostTitled)]);
      },
    },
    {
      name: 'dead_letters',
      scope: 'sources:manage',
      link: '/deliveries?state=dead',
      async find() {
        const page = await deliveries.deliveries({ state: 'dead', limit: 100 });
        const items = page.items.map(({ delivery_id: id, vendor, reason, received_at: at }) => {
          const title = reason === undefined ? vendor : `${vendor}: ${reason.replaceAll('_', ' ')}`;
          return { id, title, at, link: `/deliveries/${id}` };
        });
        return concernOf(items, page);
      },
    },
  ];
}
