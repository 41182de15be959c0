import { type AwaitedReads } from '../../kernel/index.ts';
import type { Incidents } from './contract.ts';
import type { DeliveryReads } from './deliveries/reading.ts';
import type { IncidentReads } from './incidents/store/reading.ts';
import { concernOf, type Concern } from '../runtime/contract.ts';

/** What the concerns of ingestion are read from. */
export interface ConcernReads {
  readonly deliveries: AwaitedReads<DeliveryReads>;
  readonly incidents: Pick<IncidentReads, 'noted'>;
}

const mostTitled = 5;

/** The concerns of ingestion: open incidents, and deliveries that could not be read. */
export function ingestionConcerns(
  incidents: Incidents,
  { deliveries, incidents: rows }: ConcernReads,
): readonly Concern[] {
  return [
    {
      name: 'open_incidents',
      scope: 'incidents:read',
      link: '/incidents?state=unresolved',
      async find() {
        const open = incidents.open().toReversed();
        const items = open.map(({ incident_id: id, kind, starts_at: at }) => ({
          ...{ id, title: kind, at, link: `/incidents/${id}` },
        }));
        // Only these are shown.
        const newest = await Promise.all(
          items.slice(0, mostTitled).map(async (item) => {
            const title = (await rows.noted(item.id))?.row.shown.title ?? '';
            return title === '' ? item : { ...item, title };
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
        const items = page.items.map(({ delivery_id: id, vendor, reason, received_at: at }) => ({
          ...{
            id,
            title: [vendor, ...(reason === undefined ? [] : [reason.replaceAll('_', ' ')])].join(': '),
            at,
            link: `/deliveries/${id}`,
          },
        }));
        return concernOf(items, page);
      },
    },
  ];
}
