import type { Screen } from '../../frame/screen.ts';
import { Providers } from './matrix.ts';
import { OneOrb } from './one.ts';

/** The screens of providers: who serves which Orb. */
export const providerScreens: readonly Screen[] = [
  { path: '/providers', title: 'Providers', scope: 'providers:read', tab: { jump: 'p' }, component: Providers },
  { path: '/providers/{orb_id}', title: 'Providers of an Orb', scope: 'providers:read', component: OneOrb },
];
