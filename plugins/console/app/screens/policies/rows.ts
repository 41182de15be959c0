import type { Screen } from '../../frame/screen.ts';
import { Decisions, DecisionScreen } from './decisions.ts';
import { Drafts } from './drafts.ts';
import { Policies } from './list.ts';
import { NewPolicy, PolicyScreen } from './policy.ts';
import { Revisions } from './revisions.ts';

const scope = 'policies:read';

/** The screens of policies and their decisions. */
export const policyScreens: readonly Screen[] = [
  { path: '/policies', title: 'Policies', scope, tab: { jump: 'l' }, component: Policies },
  { path: '/policies/-/new', title: 'New policy', scope: 'policies:write', component: NewPolicy },
  { path: '/policies/-/drafts', title: 'Review drafts', scope, component: Drafts },
  { path: '/policies/-/revisions', title: 'Revisions', scope, component: Revisions },
  { path: '/policies/-/decisions', title: 'Decisions', scope, component: Decisions },
  { path: '/policies/{id}', title: 'Policy', scope, component: PolicyScreen },
  { path: '/decisions/{decision_id}', title: 'Decision', scope, ids: 'dec_', component: DecisionScreen },
];
