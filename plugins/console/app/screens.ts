import type { Screen } from './frame/screen.ts';
import { Charts } from './screens/charts.ts';
import { Home } from './screens/home.ts';
import { incidentScreens } from './screens/incidents/rows.ts';
import { keyScreens } from './screens/keys.ts';
import { policyScreens } from './screens/policies/rows.ts';
import { providerScreens } from './screens/providers.ts';
import { reputationScreens } from './screens/reputation/rows.ts';
import { RunDetail } from './screens/run.ts';
import { Runs } from './screens/runs.ts';
import { sourceScreens } from './screens/sources.ts';
import { tryScreens } from './screens/try.ts';

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
