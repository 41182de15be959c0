import type { Screen } from '../../frame/screen.ts';
import { ReputationScreen } from './list.ts';
import { Namespaces } from './namespaces.ts';
import { OrbReputation } from './orb.ts';

/** The screens of reputation and the marketplace. */
export const reputationScreens: readonly Screen[] = [
  { path: '/reputation', title: 'Reputation', tab: { jump: 'e' }, component: ReputationScreen },
  { path: '/reputation/{orb_id}', title: 'Reputation of an Orb', component: OrbReputation },
  { path: '/namespaces', title: 'Namespaces', scope: 'namespaces:manage', component: Namespaces },
];
