import type { Screen } from '../../frame/screen.ts';
import { CreateSource } from './create.ts';
import { OneDelivery } from './delivery.ts';
import { AllDeliveries, Sources } from './list.ts';
import { OneSource } from './one.ts';

const scope = 'sources:manage';

/** The screens of sources of webhooks, and of what they delivered. */
export const sourceScreens: readonly Screen[] = [
  { path: '/sources', title: 'Sources', scope, tab: { jump: 's' }, component: Sources },
  { path: '/sources/new', title: 'New source', scope, component: CreateSource },
  { path: '/sources/{source_id}', title: 'Source', scope, ids: 'src_', component: OneSource },
  { path: '/deliveries', title: 'Deliveries', scope, component: AllDeliveries },
  { path: '/deliveries/{delivery_id}', title: 'Delivery', scope, ids: 'dlv_', component: OneDelivery },
];
