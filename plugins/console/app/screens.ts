import type { Screen } from './frame/screen.ts';
import { Home } from './screens/home/home.ts';
import { RunDetail } from './screens/runs/one.ts';
import { Runs } from './screens/runs/list.ts';

// Each area is loaded when one of its screens is first opened.
const activityScreens = () => import('./screens/activity/screens.ts');
const approvalScreens = () => import('./screens/approvals/screens.ts');
const callbackScreens = () => import('./screens/callbacks/screens.ts');
const chartScreens = () => import('./screens/charts/screens.ts');
const incidentScreens = () => import('./screens/incidents/screens.ts');
const keyScreens = () => import('./screens/keys/screens.ts');
const modelScreens = () => import('./screens/models/screens.ts');
const orbScreens = () => import('./screens/orbs/screens.ts');
const policyScreens = () => import('./screens/policies/screens.ts');
const providerScreens = () => import('./screens/providers/screens.ts');
const providerPage = () => import('./screens/provider/screens.ts');
const receiptScreens = () => import('./screens/receipts/screens.ts');
const reputationScreens = () => import('./screens/reputation/screens.ts');
const scheduleScreens = () => import('./screens/schedules/screens.ts');
const serverScreens = () => import('./screens/server/screens.ts');
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
const scheduling = 'schedules:manage';
const subscribing = 'subscriptions:manage';

/** All screens; the tabs have this order. */
export const screens: readonly Screen[] = [
  { path: '/', title: 'Home', tab: { jump: 'h' }, component: Home },
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
  {
    path: '/approvals',
    title: 'Approvals',
    scope: approving,
    tab: { jump: 'a' },
    load: async () => (await approvalScreens()).Approvals,
  },
  {
    path: '/approvals/{approval_id}',
    title: 'Approval',
    scope: approving,
    ids: 'apr_',
    load: async () => (await approvalScreens()).ApprovalScreen,
  },
  { path: '/try', title: 'Try it', scope: executing, tab: { jump: 't' }, load: async () => (await tryScreens()).TryIt },
  {
    path: '/orbs',
    title: 'Orbs',
    scope: 'orbs:read',
    tab: { jump: 'o' },
    load: async () => (await orbScreens()).Orbs,
  },
  {
    path: '/orbs/-/new',
    title: 'New Orb',
    scope: 'orbs:manage',
    load: async () => (await orbScreens()).NewOrb,
  },
  {
    path: '/orbs/{orb_id}',
    title: 'Orb',
    scope: 'orbs:read',
    load: async () => (await orbScreens()).OrbScreen,
  },
  {
    path: '/orbs/{orb_id}/edit',
    title: 'Edit an Orb',
    scope: 'orbs:manage',
    load: async () => (await orbScreens()).EditOrb,
  },
  {
    path: '/orbisets',
    title: 'Orbisets',
    scope: 'orbs:read',
    load: async () => (await orbScreens()).Orbisets,
  },
  {
    path: '/orbisets/-/new',
    title: 'New Orbiset',
    scope: 'orbisets:manage',
    load: async () => (await orbScreens()).NewOrbiset,
  },
  {
    path: '/orbisets/{id}',
    title: 'Orbiset',
    scope: 'orbs:read',
    load: async () => (await orbScreens()).OrbisetScreen,
  },
  {
    path: '/orbisets/{id}/edit',
    title: 'Edit an Orbiset',
    scope: 'orbisets:manage',
    load: async () => (await orbScreens()).EditOrbiset,
  },
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
    finds: 'provider',
    load: async () => (await storedScreens()).StoredProvider,
  },
  {
    path: '/providers/{orb_id}',
    title: 'Providers of an Orb',
    scope: 'providers:read',
    finds: 'orb',
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
  {
    path: '/policies/{id}',
    title: 'Policy',
    scope: policies,
    finds: 'policy',
    load: async () => (await policyScreens()).PolicyScreen,
  },
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
    finds: 'source',
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
    path: '/schedules',
    title: 'Schedules',
    scope: scheduling,
    tab: { jump: 'd' },
    load: async () => (await scheduleScreens()).Schedules,
  },
  {
    path: '/schedules/new',
    title: 'New schedule',
    scope: scheduling,
    load: async () => (await scheduleScreens()).NewSchedule,
  },
  {
    path: '/schedules/{orbiset_id}/{schedule_id}',
    title: 'Schedule',
    scope: scheduling,
    load: async () => (await scheduleScreens()).OneSchedule,
  },
  {
    path: '/callbacks',
    title: 'Callbacks',
    scope: subscribing,
    tab: { jump: 'w' },
    load: async () => (await callbackScreens()).Callbacks,
  },
  {
    path: '/callbacks/new',
    title: 'New subscription',
    scope: subscribing,
    load: async () => (await callbackScreens()).NewSubscription,
  },
  {
    path: '/callbacks/{subscription_id}',
    title: 'Subscription',
    scope: subscribing,
    ids: 'sub_',
    load: async () => (await callbackScreens()).OneSubscription,
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
    finds: 'key',
    load: async () => (await keyScreens()).OneKey,
  },
  {
    path: '/charts',
    title: 'Charts',
    scope: 'stats:read',
    tab: { jump: 'c' },
    load: async () => (await chartScreens()).Charts,
  },
  { path: '/events', title: 'Events', tab: { jump: 'f' }, load: async () => (await activityScreens()).Events },
  {
    path: '/changes',
    title: 'Who did what',
    scope: 'receipts:read',
    tab: { jump: 'x' },
    load: async () => (await activityScreens()).Changes,
  },
  {
    path: '/nodes',
    title: 'Nodes',
    scope: 'nodes:read',
    tab: { jump: 'n' },
    load: async () => (await serverScreens()).Nodes,
  },
  {
    path: '/settings',
    title: 'Settings',
    scope: 'config:read',
    tab: { jump: 'z' },
    load: async () => (await serverScreens()).Settings,
  },
];
