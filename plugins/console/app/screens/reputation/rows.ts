import { later } from '../../frame/later.ts';
import type { Screen } from '../../frame/screen.ts';

// A scope of the ledger, which keeps the scores.
const known = 'reputation:suspend';
const screen = (name: string, title: string) => ({ title, component: later('reputation', name, title) });

/** The screens of reputation and the marketplace. */
export const reputationScreens: readonly Screen[] = [
  { path: '/reputation', ...screen('ReputationScreen', 'Reputation'), known, tab: { jump: 'e' } },
  { path: '/reputation/{orb_id}', ...screen('OrbReputation', 'Reputation of an Orb'), known },
  { path: '/namespaces', ...screen('Namespaces', 'Namespaces'), scope: 'namespaces:manage' },
];
