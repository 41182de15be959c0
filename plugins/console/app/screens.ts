import type { Screen } from './frame/screen.ts';
import { laterScreen } from './parts/later.ts';
import { Approvals } from './screens/approvals/list.ts';
import { ApprovalScreen } from './screens/approvals/one.ts';
import { Charts } from './screens/charts/charts.ts';
import { Home } from './screens/home/home.ts';
import { IncidentScreen } from './screens/incidents/incident.ts';
import { Incidents } from './screens/incidents/list.ts';
import { Maintenance } from './screens/incidents/maintenance.ts';
import { CreateKey } from './screens/keys/create.ts';
import { Keys } from './screens/keys/list.ts';
import { OneKey } from './screens/keys/one.ts';
import { Decisions, DecisionScreen } from './screens/policies/decisions.ts';
import { Drafts } from './screens/policies/drafts.ts';
import { Policies } from './screens/policies/list.ts';
import { NewPolicy, PolicyScreen } from './screens/policies/policy.ts';
import { Revisions } from './screens/policies/revisions.ts';
import { Providers } from './screens/providers/matrix.ts';
import { OneOrb } from './screens/providers/one.ts';
import { ReputationScreen } from './screens/reputation/list.ts';
import { Namespaces } from './screens/reputation/namespaces.ts';
import { OrbReputation } from './screens/reputation/orb.ts';
import { RunDetail } from './screens/runs/one.ts';
import { Runs } from './screens/runs/list.ts';
import { CreateSource } from './screens/sources/create.ts';
import { OneDelivery } from './screens/sources/delivery.ts';
import { AllDeliveries, Sources } from './screens/sources/list.ts';
import { OneSource } from './screens/sources/one.ts';
import { TryIt } from './screens/try/choice.ts';

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
  { path: '/', title: 'Home', tab: { jump: 'h' }, component: Home },
  { path: '/runs', title: 'Runs', scope: 'runs:read', tab: { jump: 'r' }, component: Runs },
  { path: '/runs/{run_id}', title: 'Run', scope: runs, ids: 'run_', component: RunDetail },
  {
    path: '/receipts',
    title: 'Receipts',
    scope: 'receipts:read',
    tab: { jump: 'v' },
    component: laterScreen('Receipts'),
  },
  {
    path: '/receipts/{receipt_id}',
    title: 'Receipt',
    scope: 'receipts:read',
    ids: 'rec_',
    component: laterScreen('Receipt'),
  },
  { path: '/approvals', title: 'Approvals', scope: approving, tab: { jump: 'a' }, component: Approvals },
  { path: '/approvals/{approval_id}', title: 'Approval', scope: approving, ids: 'apr_', component: ApprovalScreen },
  { path: '/try', title: 'Try it', scope: executing, tab: { jump: 't' }, component: TryIt },
  { path: '/providers', title: 'Providers', scope: 'providers:read', tab: { jump: 'p' }, component: Providers },
  { path: '/providers/{orb_id}', title: 'Providers of an Orb', scope: 'providers:read', component: OneOrb },
  { path: '/models', title: 'Models', scope: executing, tab: { jump: 'm' }, component: laterScreen('Models') },
  {
    path: '/playground',
    title: 'Playground',
    scope: executing,
    tab: { jump: 'y' },
    component: laterScreen('Playground'),
  },
  { path: '/usage', title: 'Usage', scope: used, tab: { jump: 'u' }, component: laterScreen('Usage') },
  { path: '/budgets', title: 'Budgets', scope: used, tab: { jump: 'b' }, component: laterScreen('Budgets') },
  { path: '/policies', title: 'Policies', scope: policies, tab: { jump: 'l' }, component: Policies },
  { path: '/policies/-/new', title: 'New policy', scope: 'policies:write', component: NewPolicy },
  { path: '/policies/-/drafts', title: 'Review drafts', scope: policies, component: Drafts },
  { path: '/policies/-/revisions', title: 'Revisions', scope: policies, component: Revisions },
  { path: '/policies/-/decisions', title: 'Decisions', scope: policies, component: Decisions },
  { path: '/policies/{id}', title: 'Policy', scope: policies, component: PolicyScreen },
  { path: '/decisions/{decision_id}', title: 'Decision', scope: policies, ids: 'dec_', component: DecisionScreen },
  { path: '/incidents', title: 'Incidents', scope: incidents, tab: { jump: 'i' }, component: Incidents },
  { path: '/incidents/{incident_id}', title: 'Incident', scope: incidents, ids: 'inc_', component: IncidentScreen },
  { path: '/maintenance', title: 'Maintenance', scope: incidents, component: Maintenance },
  { path: '/sources', title: 'Sources', scope: sources, tab: { jump: 's' }, component: Sources },
  { path: '/sources/new', title: 'New source', scope: sources, component: CreateSource },
  { path: '/sources/{source_id}', title: 'Source', scope: sources, ids: 'src_', component: OneSource },
  { path: '/deliveries', title: 'Deliveries', scope: sources, component: AllDeliveries },
  { path: '/deliveries/{delivery_id}', title: 'Delivery', scope: sources, ids: 'dlv_', component: OneDelivery },
  { path: '/reputation', title: 'Reputation', known, tab: { jump: 'e' }, component: ReputationScreen },
  { path: '/reputation/{orb_id}', title: 'Reputation of an Orb', known, component: OrbReputation },
  { path: '/namespaces', title: 'Namespaces', scope: 'namespaces:manage', component: Namespaces },
  { path: '/keys', title: 'Keys', scope: keys, tab: { jump: 'k' }, component: Keys },
  { path: '/keys/new', title: 'New key', scope: 'keys:manage', component: CreateKey },
  { path: '/keys/{key_id}', title: 'Key', scope: 'keys:manage', ids: 'key_', component: OneKey },
  { path: '/charts', title: 'Charts', scope: 'stats:read', tab: { jump: 'c' }, component: Charts },
];
