import type { orderSchema } from './schema.ts';
import type { Command, Infer } from '../../../kernel/index.ts';
import { apiCommand, record, type Shown } from '../../terminal/contract.ts';

type Order = Infer<typeof orderSchema>;

const orb = { name: 'orb_id', description: 'for example notify.email@1.0.0' };
const match = { flag: '--if-match <digest>', description: 'only if the order has this ETag' };
const route = '/providers/{orb_id}/order';

/** Commands `orb providers order|reorder|default-order`. */
export const orderCommands: readonly Command[] = [
  apiCommand<Order>({
    path: 'providers order',
    summary: 'show in which order the providers of an Orb are tried',
    args: [orb],
    route: `GET ${route}`,
    show: shown,
  }),
  apiCommand<Order>({
    path: 'providers reorder',
    summary: 'replace the order of the standbys of an Orb',
    args: [orb, { name: 'standbys', description: 'names, separated by commas, first the one to try first; none: ""' }],
    options: [match],
    route: `PUT ${route}`,
    body: ({ args: [, standbys = ''] }) => ({ standbys: standbys.split(',').flatMap((one) => one.trim() || []) }),
    show: shown,
  }),
  apiCommand<Order>({
    path: 'providers default-order',
    summary: 'restore the default order of the providers of an Orb',
    args: [orb],
    options: [match],
    route: `DELETE ${route}`,
    show: shown,
  }),
];

function shown({ active_provider = 'none', orb_id, others, source, standbys }: Order): Shown {
  return record([
    ['orb', orb_id],
    ['active', active_provider],
    ['standbys', standbys.join(', ') || 'none'],
    ['not used', others.join(', ') || 'none'],
    ['order from', source],
  ]);
}
