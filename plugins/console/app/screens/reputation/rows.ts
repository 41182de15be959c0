import type { Screen } from '../../frame/screen.ts';
import { ReputationScreen } from './list.ts';
import { Namespaces } from './namespaces.ts';
import { OrbReputation } from './orb.ts';

// A scope of the ledger, which keeps the scores.
const known = 'reputation:suspend';

/** The screens of reputation and the marketplace. */
export const reputationScreens: readonly Screen[] = [
  { path: '/reputation', title: 'Reputation', known, tab: { jump: 'e' }, component: ReputationScreen },
  { path: '/reputation/{orb_id}', title: 'Reputation of an Orb', known, component: OrbReputation },
  { path: '/namespaces', title: 'Namespaces', scope: 'namespaces:manage', component: Namespaces },
];
