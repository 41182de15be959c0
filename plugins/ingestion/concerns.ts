import { concernOf, type AwaitedReads, type Concern } from '../../kernel/index.ts';
import type { Incidents } from './contract.ts';
import type { DeliveryReads } from './deliveries/reading.ts';

/** The concerns of ingestion: open incidents, and deliveries that could not be read. */
export function ingestionConcerns(incidents: Incidents, deliveries: AwaitedReads<DeliveryReads>): readonly Concern[] {
  return [
    {
      name: 'open_incidents',
      scope: 'incidents:read',
      link: '/incidents?state=unresolved',
      find() {
        const open = incidents.open().map(({ incident_id: id, kind, scope, starts_at: at }) => ({
          ...{ id, title: [kind, ...scope.map((subject) => subject.id)].join(' '), at, link: `/incidents/${id}` },
        }));
        return concernOf(open.reverse());
      },
    },
    {
      name: 'dead_letters',
      scope: 'sources:manage',
      link: '/deliveries?state=dead',
      async find() {
        const page = await deliveries.deliveries({ state: 'dead', limit: 100 });
        const items = page.items.map(({ delivery_id: id, vendor, reason, received_at: at }) => ({
          ...{
            id,
            title: [vendor, ...(reason === undefined ? [] : [reason])].join(' '),
            at,
            link: `/deliveries/${id}`,
          },
        }));
        return concernOf(items, page);
      },
    },
  ];
}
