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

const of =
  <Area, Name extends keyof Area>(area: () => Promise<Area>, name: Name) =>
  async (): Promise<Area[Name]> =>
    (await area())[name];

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
    load: of(receiptScreens, 'Receipts'),
  },
  {
    path: '/receipts/{receipt_id}',
    title: 'Receipt',
    scope: 'receipts:read',
    ids: 'rec_',
    load: of(receiptScreens, 'ReceiptScreen'),
  },
  {
    path: '/approvals',
    title: 'Approvals',
    scope: approving,
    tab: { jump: 'a' },
    load: of(approvalScreens, 'Approvals'),
  },
  {
    path: '/approvals/{approval_id}',
    title: 'Approval',
    scope: approving,
    ids: 'apr_',
    load: of(approvalScreens, 'ApprovalScreen'),
  },
  { path: '/try', title: 'Try it', scope: executing, tab: { jump: 't' }, load: of(tryScreens, 'TryIt') },
  { path: '/orbs', title: 'Orbs', scope: 'orbs:read', tab: { jump: 'o' }, load: of(orbScreens, 'Orbs') },
  { path: '/orbs/-/new', title: 'New Orb', scope: 'orbs:manage', load: of(orbScreens, 'NewOrb') },
  { path: '/orbs/{orb_id}', title: 'Orb', scope: 'orbs:read', finds: 'orb', load: of(orbScreens, 'OrbScreen') },
  { path: '/orbs/{orb_id}/edit', title: 'Edit an Orb', scope: 'orbs:manage', load: of(orbScreens, 'EditOrb') },
  { path: '/orbisets', title: 'Orbisets', scope: 'orbs:read', load: of(orbScreens, 'Orbisets') },
  { path: '/orbisets/-/new', title: 'New Orbiset', scope: 'orbisets:manage', load: of(orbScreens, 'NewOrbiset') },
  {
    path: '/orbisets/{id}',
    title: 'Orbiset',
    scope: 'orbs:read',
    finds: 'orbiset',
    load: of(orbScreens, 'OrbisetScreen'),
  },
  {
    path: '/orbisets/{id}/edit',
    title: 'Edit an Orbiset',
    scope: 'orbisets:manage',
    load: of(orbScreens, 'EditOrbiset'),
  },
  {
    path: '/providers',
    title: 'Providers',
    scope: 'providers:read',
    tab: { jump: 'p' },
    load: of(providerScreens, 'Providers'),
  },
  {
    path: '/providers/new',
    title: 'Add a provider',
    scope: 'providers:manage',
    load: of(storedScreens, 'NewProvider'),
  },
  {
    path: '/providers/stored/{name}',
    title: 'Provider',
    scope: 'providers:read',
    known: 'providers:manage',
    load: of(storedScreens, 'StoredProvider'),
  },
  {
    path: '/providers/{orb_id}',
    title: 'Providers of an Orb',
    scope: 'providers:read',
    load: of(providerScreens, 'OneOrb'),
  },
  {
    path: '/providers/-/{name}',
    title: 'Provider',
    scope: 'providers:read',
    finds: 'provider',
    load: of(providerPage, 'ProviderScreen'),
  },
  { path: '/models', title: 'Models', scope: executing, tab: { jump: 'm' }, load: of(modelScreens, 'Models') },
  {
    path: '/playground',
    title: 'Playground',
    scope: executing,
    tab: { jump: 'y' },
    load: of(modelScreens, 'Playground'),
  },
  { path: '/usage', title: 'Usage', scope: used, tab: { jump: 'u' }, load: of(modelScreens, 'UsageScreen') },
  { path: '/budgets', title: 'Budgets', scope: used, tab: { jump: 'b' }, load: of(modelScreens, 'Budgets') },
  { path: '/policies', title: 'Policies', scope: policies, tab: { jump: 'l' }, load: of(policyScreens, 'Policies') },
  { path: '/policies/-/new', title: 'New policy', scope: 'policies:write', load: of(policyScreens, 'NewPolicy') },
  { path: '/policies/-/drafts', title: 'Review drafts', scope: policies, load: of(policyScreens, 'Drafts') },
  { path: '/policies/-/revisions', title: 'Revisions', scope: policies, load: of(policyScreens, 'Revisions') },
  { path: '/policies/-/decisions', title: 'Decisions', scope: policies, load: of(policyScreens, 'Decisions') },
  {
    path: '/policies/{id}',
    title: 'Policy',
    scope: policies,
    finds: 'policy',
    load: of(policyScreens, 'PolicyScreen'),
  },
  {
    path: '/decisions/{decision_id}',
    title: 'Decision',
    scope: policies,
    ids: 'dec_',
    load: of(policyScreens, 'DecisionScreen'),
  },
  {
    path: '/incidents',
    title: 'Incidents',
    scope: incidents,
    tab: { jump: 'i' },
    load: of(incidentScreens, 'Incidents'),
  },
  {
    path: '/incidents/{incident_id}',
    title: 'Incident',
    scope: incidents,
    ids: 'inc_',
    finds: 'incident',
    load: of(incidentScreens, 'IncidentScreen'),
  },
  { path: '/maintenance', title: 'Maintenance', scope: incidents, load: of(incidentScreens, 'Maintenance') },
  { path: '/sources', title: 'Sources', scope: sources, tab: { jump: 's' }, load: of(sourceScreens, 'Sources') },
  { path: '/sources/new', title: 'New source', scope: sources, load: of(sourceScreens, 'CreateSource') },
  {
    path: '/sources/{source_id}',
    title: 'Source',
    scope: sources,
    ids: 'src_',
    finds: 'source',
    load: of(sourceScreens, 'OneSource'),
  },
  { path: '/deliveries', title: 'Deliveries', scope: sources, load: of(sourceScreens, 'AllDeliveries') },
  {
    path: '/deliveries/{delivery_id}',
    title: 'Delivery',
    scope: sources,
    ids: 'dlv_',
    load: of(sourceScreens, 'OneDelivery'),
  },
  {
    path: '/schedules',
    title: 'Schedules',
    scope: scheduling,
    tab: { jump: 'd' },
    load: of(scheduleScreens, 'Schedules'),
  },
  { path: '/schedules/new', title: 'New schedule', scope: scheduling, load: of(scheduleScreens, 'NewSchedule') },
  {
    path: '/schedules/{orbiset_id}/{schedule_id}',
    title: 'Schedule',
    scope: scheduling,
    load: of(scheduleScreens, 'OneSchedule'),
  },
  {
    path: '/callbacks',
    title: 'Callbacks',
    scope: subscribing,
    tab: { jump: 'w' },
    load: of(callbackScreens, 'Callbacks'),
  },
  {
    path: '/callbacks/new',
    title: 'New subscription',
    scope: subscribing,
    load: of(callbackScreens, 'NewSubscription'),
  },
  {
    path: '/callbacks/{subscription_id}',
    title: 'Subscription',
    scope: subscribing,
    ids: 'sub_',
    load: of(callbackScreens, 'OneSubscription'),
  },
  {
    path: '/reputation',
    title: 'Reputation',
    known,
    tab: { jump: 'e' },
    load: of(reputationScreens, 'ReputationScreen'),
  },
  { path: '/reputation/{orb_id}', title: 'Reputation of an Orb', known, load: of(reputationScreens, 'OrbReputation') },
  { path: '/namespaces', title: 'Namespaces', scope: 'namespaces:manage', load: of(reputationScreens, 'Namespaces') },
  { path: '/keys', title: 'Keys', scope: keys, tab: { jump: 'k' }, load: of(keyScreens, 'Keys') },
  { path: '/keys/new', title: 'New key', scope: 'keys:manage', load: of(keyScreens, 'CreateKey') },
  {
    path: '/keys/{key_id}',
    title: 'Key',
    scope: 'keys:manage',
    ids: 'key_',
    finds: 'key',
    load: of(keyScreens, 'OneKey'),
  },
  { path: '/charts', title: 'Charts', scope: 'stats:read', tab: { jump: 'c' }, load: of(chartScreens, 'Charts') },
  { path: '/events', title: 'Events', tab: { jump: 'f' }, load: of(activityScreens, 'Events') },
  {
    path: '/changes',
    title: 'Who did what',
    scope: 'receipts:read',
    tab: { jump: 'x' },
    load: of(activityScreens, 'Changes'),
  },
  { path: '/nodes', title: 'Nodes', scope: 'nodes:read', tab: { jump: 'n' }, load: of(serverScreens, 'Nodes') },
  {
    path: '/settings',
    title: 'Settings',
    scope: 'config:read',
    tab: { jump: 'z' },
    load: of(serverScreens, 'Settings'),
  },
];
