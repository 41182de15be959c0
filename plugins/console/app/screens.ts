import type { Screen } from './frame/screen.ts';
import { Approvals } from './screens/approvals/list.ts';
import { ApprovalScreen } from './screens/approvals/one.ts';
import { Charts } from './screens/charts.ts';
import { Home } from './screens/home.ts';
import { RunDetail } from './screens/runs/one.ts';
import { Runs } from './screens/runs/list.ts';

// Each area is loaded when one of its screens is first opened.
const incidentScreens = () => import('./screens/incidents/screens.ts');
const keyScreens = () => import('./screens/keys/screens.ts');
const modelScreens = () => import('./screens/models/screens.ts');
const policyScreens = () => import('./screens/policies/screens.ts');
const providerScreens = () => import('./screens/providers/screens.ts');
const providerPage = () => import('./screens/provider/screens.ts');
const receiptScreens = () => import('./screens/receipts/screens.ts');
const reputationScreens = () => import('./screens/reputation/screens.ts');
const sourceScreens = () => import('./screens/sources/screens.ts');
const storedScreens = () => import('./screens/stored/screens.ts');
const tryScreens = () => import('./screens/try/screens.ts');

const runs = ['runs:read', 'orbs:execute'];
const keys = ['keys:manage', 'signing-keys:manage'];
const approving = 'runs:approve';
const policies = 'policies:read';
const incidents = 'incidents:read';
const sources = 'sources:manage';
// A scope of the ledger, which keeps the scores.
const known = 'reputation:suspend';
const executing = 'orbs:execute';
const used = 'usage:read';

/** All screens; the tabs have this order. */
export const screens: readonly Screen[] = [
  { path: '/', title: 'Needs attention', tab: { jump: 'h' }, component: Home },
  { path: '/runs', title: 'Runs', scope: 'runs:read', tab: { jump: 'r' }, component: Runs },
  { path: '/runs/{run_id}', title: 'Run', scope: runs, ids: 'run_', component: RunDetail },
  {
    path: '/receipts',
    title: 'Receipts',
    scope: 'receipts:read',
    tab: { jump: 'v' },
    load: async () => (await receiptScreens()).Receipts,
  },
  {
    path: '/receipts/{receipt_id}',
    title: 'Receipt',
    scope: 'receipts:read',
    ids: 'rec_',
    load: async () => (await receiptScreens()).ReceiptScreen,
  },
  { path: '/approvals', title: 'Approvals', scope: approving, tab: { jump: 'a' }, component: Approvals },
  { path: '/approvals/{approval_id}', title: 'Approval', scope: approving, ids: 'apr_', component: ApprovalScreen },
  { path: '/try', title: 'Try it', scope: executing, tab: { jump: 't' }, load: async () => (await tryScreens()).TryIt },
  {
    path: '/providers',
    title: 'Providers',
    scope: 'providers:read',
    tab: { jump: 'p' },
    load: async () => (await providerScreens()).Providers,
  },
  {
    path: '/providers/new',
    title: 'Add a provider',
    scope: 'providers:manage',
    load: async () => (await storedScreens()).NewProvider,
  },
  {
    path: '/providers/stored/{name}',
    title: 'Provider',
    scope: 'providers:read',
    known: 'providers:manage',
    load: async () => (await storedScreens()).StoredProvider,
  },
  {
    path: '/providers/{orb_id}',
    title: 'Providers of an Orb',
    scope: 'providers:read',
    load: async () => (await providerScreens()).OneOrb,
  },
  {
    path: '/providers/-/{name}',
    title: 'Provider',
    scope: 'providers:read',
    load: async () => (await providerPage()).ProviderScreen,
  },
  {
    path: '/models',
    title: 'Models',
    scope: executing,
    tab: { jump: 'm' },
    load: async () => (await modelScreens()).Models,
  },
  {
    path: '/playground',
    title: 'Playground',
    scope: executing,
    tab: { jump: 'y' },
    load: async () => (await modelScreens()).Playground,
  },
  {
    path: '/usage',
    title: 'Usage',
    scope: used,
    tab: { jump: 'u' },
    load: async () => (await modelScreens()).UsageScreen,
  },
  {
    path: '/budgets',
    title: 'Budgets',
    scope: used,
    tab: { jump: 'b' },
    load: async () => (await modelScreens()).Budgets,
  },
  {
    path: '/policies',
    title: 'Policies',
    scope: policies,
    tab: { jump: 'l' },
    load: async () => (await policyScreens()).Policies,
  },
  {
    path: '/policies/-/new',
    title: 'New policy',
    scope: 'policies:write',
    load: async () => (await policyScreens()).NewPolicy,
  },
  {
    path: '/policies/-/drafts',
    title: 'Review drafts',
    scope: policies,
    load: async () => (await policyScreens()).Drafts,
  },
  {
    path: '/policies/-/revisions',
    title: 'Revisions',
    scope: policies,
    load: async () => (await policyScreens()).Revisions,
  },
  {
    path: '/policies/-/decisions',
    title: 'Decisions',
    scope: policies,
    load: async () => (await policyScreens()).Decisions,
  },
  { path: '/policies/{id}', title: 'Policy', scope: policies, load: async () => (await policyScreens()).PolicyScreen },
  {
    path: '/decisions/{decision_id}',
    title: 'Decision',
    scope: policies,
    ids: 'dec_',
    load: async () => (await policyScreens()).DecisionScreen,
  },
  {
    path: '/incidents',
    title: 'Incidents',
    scope: incidents,
    tab: { jump: 'i' },
    load: async () => (await incidentScreens()).Incidents,
  },
  {
    path: '/incidents/{incident_id}',
    title: 'Incident',
    scope: incidents,
    ids: 'inc_',
    load: async () => (await incidentScreens()).IncidentScreen,
  },
  {
    path: '/maintenance',
    title: 'Maintenance',
    scope: incidents,
    load: async () => (await incidentScreens()).Maintenance,
  },
  {
    path: '/sources',
    title: 'Sources',
    scope: sources,
    tab: { jump: 's' },
    load: async () => (await sourceScreens()).Sources,
  },
  { path: '/sources/new', title: 'New source', scope: sources, load: async () => (await sourceScreens()).CreateSource },
  {
    path: '/sources/{source_id}',
    title: 'Source',
    scope: sources,
    ids: 'src_',
    load: async () => (await sourceScreens()).OneSource,
  },
  { path: '/deliveries', title: 'Deliveries', scope: sources, load: async () => (await sourceScreens()).AllDeliveries },
  {
    path: '/deliveries/{delivery_id}',
    title: 'Delivery',
    scope: sources,
    ids: 'dlv_',
    load: async () => (await sourceScreens()).OneDelivery,
  },
  {
    path: '/reputation',
    title: 'Reputation',
    known,
    tab: { jump: 'e' },
    load: async () => (await reputationScreens()).ReputationScreen,
  },
  {
    path: '/reputation/{orb_id}',
    title: 'Reputation of an Orb',
    known,
    load: async () => (await reputationScreens()).OrbReputation,
  },
  {
    path: '/namespaces',
    title: 'Namespaces',
    scope: 'namespaces:manage',
    load: async () => (await reputationScreens()).Namespaces,
  },
  { path: '/keys', title: 'Keys', scope: keys, tab: { jump: 'k' }, load: async () => (await keyScreens()).Keys },
  { path: '/keys/new', title: 'New key', scope: 'keys:manage', load: async () => (await keyScreens()).CreateKey },
  {
    path: '/keys/{key_id}',
    title: 'Key',
    scope: 'keys:manage',
    ids: 'key_',
    load: async () => (await keyScreens()).OneKey,
  },
  { path: '/charts', title: 'Charts', scope: 'stats:read', tab: { jump: 'c' }, component: Charts },
];
