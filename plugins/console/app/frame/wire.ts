import type { Answered } from '../../../../kernel/index.ts';
import type { createdKey, keySummary } from '../../../api-keys/key.ts';
import type { listedScope } from '../../../api-keys/routes/scopes.ts';
import type { approvalPage, approvalSchema } from '../../../approvals/schema.ts';
import type { budgetPage, usagePage } from '../../../budgets/schema.ts';
import type { sourceHealth } from '../../../ingestion/api/health.ts';
import type { setupSchema } from '../../../ingestion/api/scope.ts';
import type { createdSource } from '../../../ingestion/api/source-routes.ts';
import type { vendorList } from '../../../ingestion/api/vendor-route.ts';
import type { deliveryDetail, deliverySchema, previewSchema } from '../../../ingestion/deliveries/delivery.ts';
import type {
  evidenceSchema,
  incidentDetail,
  incidentSummary,
  window,
} from '../../../ingestion/incidents/model/schema.ts';
import type { sourceSchema } from '../../../ingestion/sources/settings/schema.ts';
import type { orbHistory, orbProfile } from '../../../ledger/routes/schemas.ts';
import type { listingItem } from '../../../marketplace/listing/item.ts';
import type { namespaceSchema } from '../../../marketplace/namespaces/namespaces.ts';
import type { modelSchema } from '../../../models/list/list.ts';
import type { statusBody } from '../../../observability/status/schema.ts';
import type { detailed } from '../../../policy/routes/policy-schema.ts';
import type { fileDiff } from '../../../policy/routes/revisions.ts';
import type { status } from '../../../policy/routes/status.ts';
import type { decision, Diagnostic, policyInfo, replayed, revision, TestResult } from '../../../policy/shapes.ts';
import type { ReceiptDocument, RunFacts, RunScore, RunStatement } from '../../../receipts/contract.ts';
import type { OtherStatement } from '../../../receipts/kinds/predicate.ts';
import type { listedReceipt } from '../../../receipts/log/rows/filter.ts';
import type { signingKey } from '../../../receipts/keys/key-schema.ts';
import type { orbisetDetail, orbisetPage } from '../../../runtime/manifests/orbiset-routes.ts';
import type { orbDetail, orbPage } from '../../../runtime/manifests/orb-routes.ts';
import type { providerHealth } from '../../../observability/health/route.ts';
import type { providerStatus } from '../../../runtime/provider/status.ts';
import type { executionResult } from '../../../runtime/facts/facts.ts';
import type { preview } from '../../../runtime/run/preview-route.ts';
import type { runSchema } from '../../../runtime/run/run-routes.ts';
import type { concern } from '../../../runtime/stats/overview.ts';
import type { searchResults } from '../../../runtime/run/listing/search/route.ts';
import type { stats } from '../../../runtime/stats/routes.ts';
import type { runCounts } from '../../../runtime/run/listing/counts-route.ts';
import type { configChanges } from '../../../runtime/swap/reload-preview.ts';
import type { swapSchema } from '../../../runtime/swap/provider-routes.ts';
import type { reloaded } from '../../../runtime/swap/reload-route.ts';
import type { node } from '../../../postgres/nodes/routes.ts';
import type { listedChange } from '../../../receipts/log/rows/changes.ts';
import type { configurationSchema } from '../../../runtime/swap/settings/route.ts';
import type { scheduleSchema, slotSchema } from '../../../schedules/schema.ts';
import type { callbackSchema, subscriptionSchema } from '../../../subscriptions/subscription.ts';
import type { adapterList } from '../../../stored-providers/adapter-route.ts';
import type { orderSchema } from '../../../stored-providers/order/schema.ts';
import type { configuredProviders } from '../../../stored-providers/list-route.ts';
import type { changedProvider, shownProvider, testedProvider } from '../../../stored-providers/schema.ts';
import type { linkedKey, sessionSchema } from '../../session/schema.ts';
import type { Reason } from './problem.ts';

// The types of all answers of the API that screens show. They follow from the schemas of the routes; only what a schema
// leaves open is written here.

/** The session; it never contains the key. */
export type Session = Answered<typeof sessionSchema>;
/** The key that a link signs in with. */
export type LinkedKey = Answered<typeof linkedKey>;

/** A key; never the key itself. */
export type Key = Answered<typeof keySummary>;
/** The answer that makes a key: the only one that shows it. */
export type CreatedKey = Answered<typeof createdKey>;
/** A scope that a key can have. */
export type ListedScope = Answered<typeof listedScope>;
/** A key that signs receipts, the log or certificates. */
export type SigningKey = Answered<typeof signingKey>;

/** A run. */
export type Run = Answered<typeof runSchema>;
/** Numbers of runs by the values of filters. */
export type RunCounts = Answered<typeof runCounts>;
/** A call of a provider. */
export type Attempt = NonNullable<Run['attempts']>[number];
/** An Orb in a list. */
export type ListedOrb = Answered<typeof orbPage>['orbs'][number];
/** An Orb with its manifest. */
export type OrbDetail = Answered<typeof orbDetail>;
/** The manifest of an Orb. */
export type OrbManifest = OrbDetail['manifest'];
/** An Orbiset in a list. */
export type ListedOrbiset = Answered<typeof orbisetPage>['orbisets'][number];
/** An Orbiset with its manifest. */
export type OrbisetDetail = Answered<typeof orbisetDetail>;
/** The manifest of an Orbiset. */
export type OrbisetManifest = OrbisetDetail['manifest'];
/** What a run would meet. */
export type Preview = Omit<Answered<typeof preview>, 'reasons' | 'asks'> & {
  readonly reasons: readonly Reason[];
  readonly asks?: NonNullable<Decision['asks']>;
};
/** The answer of a run that completed, or waits. */
export type RunAnswer = Pick<Run, 'run_id' | 'status'> & Partial<Omit<Answered<typeof executionResult>, 'status'>>;
export type { OtherStatement, ReceiptDocument, RunScore, RunStatement };
/** A receipt in a list. */
export type ListedReceipt = Answered<typeof listedReceipt>;
/** A receipt, as far as the page of a run shows it. */
export type Receipt = Pick<ReceiptDocument, 'receipt_id' | 'trust_score' | 'risk_level'> & {
  readonly statement?: {
    readonly predicate: { readonly facts?: Partial<Pick<RunFacts, 'policy'>>; readonly score?: RunScore };
  };
};

/** A thing that a search found. */
export type SearchResult = Answered<typeof searchResults>['results'][number];

/** Counts of runs over time. */
export type Stats = Answered<typeof stats>;
/** The counts of one group. */
export type Series = Stats['series'][number];
/** The counts of one step of time. */
export type Point = Series['points'][number];
/** The figures of a group over the whole time, or of one step. */
export type Figures = Series['overall'];
/** One kind of what needs a person. */
export type Concern = Answered<typeof concern>;

/** A page of the runs that wait, or waited, until people approved them. */
export type ApprovalPage = Answered<typeof approvalPage>;
/** An approval in a list. */
export type ApprovalSummary = ApprovalPage['approvals'][number];
/** An approval with all that is bound. */
export type Approval = Answered<typeof approvalSchema>;

/** A model that the key can use. */
export type Model = Answered<typeof modelSchema>;
/** A page of sums of usage. */
export type UsagePage = Answered<typeof usagePage>;
/** A sum of usage. */
export type Usage = UsagePage['usage'][number];
/** A budget in its present window. */
export type Budget = Answered<typeof budgetPage>['budgets'][number];

/** A change of the provider of an Orb. */
export type Swap = Answered<typeof swapSchema>;
/** The providers of an Orb, in the order in which they are tried. */
export type ProviderStatus = Answered<typeof providerStatus> & { readonly last_swap?: Swap };
/** A provider of an Orb. */
export type ProviderRow = ProviderStatus['providers'][number];
/** The last failure of a probe or of a call, at the node that answered. */
export type LastFailure = NonNullable<ProviderRow['probe_failure']>;
/** The answer to a test of a provider that completed. */
export type TestedProvider = Answered<typeof testedProvider>;
/** How a provider was, over time. */
export type ProviderHealth = Answered<typeof providerHealth>;
/** What a reload of platform.json changed. */
export type Reloaded = Answered<typeof reloaded>;
/** What a reload of platform.json would change. */
export type ConfigChanges = Answered<typeof configChanges>;

/** The adapters, and what forms of providers need. */
export type AdapterList = Answered<typeof adapterList>;
/** A provider of the file or of the store, in the list by name. */
export type ConfiguredProvider = Answered<typeof configuredProviders>['providers'][number];
/** In which order the providers of an Orb are tried. */
export type ProviderOrder = Answered<typeof orderSchema>;
/** A provider: where it is defined, and its settings without secrets. */
export type ProviderDetail = Answered<typeof shownProvider>;
/** The answer to a change of a provider. */
export type ProviderChange = Answered<typeof changedProvider>;

export type { Diagnostic, TestResult };
/** A policy in a list. */
export type Policy = Answered<typeof policyInfo>;
/** A policy with its texts; `waiting`: its draft. */
export type PolicyDetail = Answered<typeof detailed>;
/** The status of the policy engine. */
export type EngineStatus = Answered<typeof status>;
/** A revision in the list of all that were active. */
export type Revision = Answered<typeof revision>;
/** The difference of one file. */
export type FileDiff = Answered<typeof fileDiff>;
/** A decision of the policies. */
export type Decision = Omit<Answered<typeof decision>, 'reasons'> & { readonly reasons?: readonly Reason[] };
/** What a replay of past decisions answers. */
export type Replayed = Answered<typeof replayed>;
/** The result of a past decision that would change. */
export type Changed = keyof Replayed['decision_ids'];

/** An incident in a list. */
export type Incident = Answered<typeof incidentSummary>;
/** An incident with all that happened to it. */
export type IncidentDetail = Answered<typeof incidentDetail>;
/** What an incident or a maintenance window concerns. */
export type Subject = Incident['scope'][number];
/** What proves an incident. */
export type IncidentEvidence = Answered<typeof evidenceSchema>;
/** A planned time in which a subject may be down. */
export type MaintenanceWindow = Answered<typeof window>;
/** The public status page. */
export type PublicStatus = Answered<typeof statusBody>;

/** A source of webhooks; its secrets without their texts. */
export type Source = Answered<typeof sourceSchema>;
/** The answer that makes a source. */
export type CreatedSource = Answered<typeof createdSource>;
/** The secrets and the address of a source, in the one answer that shows them. */
export type ShownOnce = Partial<Pick<CreatedSource, 'url' | 'secret' | 'setup'>>;
/** What to enter at a vendor. */
export type Setup = Answered<typeof setupSchema>;
/** A vendor whose webhooks are understood. */
export type Vendor = Answered<typeof vendorList>['vendors'][number];
/** The health of a source. */
export type SourceHealth = Answered<typeof sourceHealth>;
/** A delivery of a source. */
export type Delivery = Answered<typeof deliverySchema>;
/** A delivery with its signals. */
export type DeliveryDetail = Answered<typeof deliveryDetail>;
/** What a replay of a delivery would change. */
export type ReplayChanges = Answered<typeof previewSchema>;

/** The reputation of an Orb, explained. */
export type Reputation = Answered<typeof orbProfile>;
/** Days and changes of tier of an Orb. */
export type History = Answered<typeof orbHistory>;
/** One day of the past. */
export type Day = History['days'][number];
/** An incident that weighs on a score. */
export type Debt = NonNullable<Reputation['incidents']>['open'][number];
/** A published version. */
export type Listing = Answered<typeof listingItem>;
/** A namespace and who may publish in it. */
export type Namespace = Answered<typeof namespaceSchema>;

/** A schedule. */
export type Schedule = Answered<typeof scheduleSchema>;
/** One planned time of a schedule, and its run. */
export type ScheduleRun = Answered<typeof slotSchema>;
/** A subscription to callbacks; never its secret. */
export type Subscription = Answered<typeof subscriptionSchema>;
/** A callback that was sent or waits. */
export type Callback = Answered<typeof callbackSchema>;

/** An attested change. */
export type ListedChange = Answered<typeof listedChange>;
/** A node of the server. */
export type ServerNode = Answered<typeof node>;
/** The configuration in use. */
export type Configuration = Answered<typeof configurationSchema>;
/** One setting, and where its value comes from. */
export type Setting = Configuration['settings'][number];
