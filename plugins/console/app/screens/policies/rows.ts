import { later } from '../../frame/later.ts';
import type { Screen } from '../../frame/screen.ts';

const scope = 'policies:read';
const screen = (name: string, title: string) => ({ title, component: later('policies', name, title) });

/** The screens of policies and their decisions. */
export const policyScreens: readonly Screen[] = [
  { path: '/policies', ...screen('Policies', 'Policies'), scope, tab: { jump: 'l' } },
  { path: '/policies/-/new', ...screen('NewPolicy', 'New policy'), scope: 'policies:write' },
  { path: '/policies/-/drafts', ...screen('Drafts', 'Review drafts'), scope },
  { path: '/policies/-/revisions', ...screen('Revisions', 'Revisions'), scope },
  { path: '/policies/-/decisions', ...screen('Decisions', 'Decisions'), scope },
  { path: '/policies/{id}', ...screen('PolicyScreen', 'Policy'), scope },
  { path: '/decisions/{decision_id}', ...screen('DecisionScreen', 'Decision'), scope, ids: 'dec_' },
];
