import type { Screen } from '../../frame/screen.ts';
import { CreateKey } from './create.ts';
import { Keys } from './list.ts';
import { OneKey } from './one.ts';

/** The screens of keys: who may call, and what signs. */
export const keyScreens: readonly Screen[] = [
  {
    path: '/keys',
    title: 'Keys',
    scope: ['keys:manage', 'signing-keys:manage'],
    tab: { jump: 'k' },
    component: Keys,
  },
  { path: '/keys/new', title: 'New key', scope: 'keys:manage', component: CreateKey },
  { path: '/keys/{key_id}', title: 'Key', scope: 'keys:manage', ids: 'key_', component: OneKey },
];
