import type { Screen } from './frame/screen.ts';
import { Charts } from './screens/charts.ts';
import { Home } from './screens/home.ts';
import { incidentScreens } from './screens/incidents/rows.ts';
import { keyScreens } from './screens/keys/rows.ts';
import { policyScreens } from './screens/policies/rows.ts';
import { providerScreens } from './screens/providers/rows.ts';
import { reputationScreens } from './screens/reputation/rows.ts';
import { RunDetail } from './screens/runs/one.ts';
import { Runs } from './screens/runs/list.ts';
import { sourceScreens } from './screens/sources/rows.ts';
import { tryScreens } from './screens/try/choice.ts';

const runs = ['runs:read', 'orbs:execute'];

/** All screens; the tabs stand in this order. */
export const screens: readonly Screen[] = [
  { path: '/', title: 'Needs attention', tab: { jump: 'h' }, component: Home },
  { path: '/runs', title: 'Runs', scope: 'runs:read', tab: { jump: 'r' }, component: Runs },
  { path: '/runs/{run_id}', title: 'Run', scope: runs, ids: 'run_', component: RunDetail },
  ...tryScreens,
  ...providerScreens,
  ...policyScreens,
  ...incidentScreens,
  ...sourceScreens,
  ...reputationScreens,
  ...keyScreens,
  { path: '/charts', title: 'Charts', scope: 'stats:read', tab: { jump: 'c' }, component: Charts },
];
