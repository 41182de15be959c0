// Values of the examples: a request that is sent unchanged passes the validation.

const ulid = '01M7Z0PBQG0RKE7F53B8HZKY1N';
const time = '2030-01-31T12:00:00.000Z';
const reason = 'The mail server answers again';
const source = [
  'package orb.policies.no_bulk_mail',
  '',
  'deny contains {"code": "bulk", "message": "At most 10 recipients"} if {',
  '\tinput.action.name == "execute"',
  '\tcount(split(input.context.inputs.to, ",")) > 10',
  '}',
  '',
].join('\n');
const files = [{ path: 'no_bulk_mail.rego', source }];
const greeting = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
const text = {
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: { text: { type: 'string', maxLength: 1000 } },
};

const chat = { model: 'small', messages: [{ role: 'user', content: 'hello' }] };
const message = { ...chat, max_tokens: 100 };
const embedding = { model: 'small', input: ['hello'] };

const ids = [
  ...['key', 'run', 'receipt', 'swap', 'schedule', 'subscription', 'source', 'delivery', 'incident', 'decision'],
  'approval',
];
const prefixes: Readonly<Record<string, string>> = {
  ...{ receipt: 'rec', swap: 'swp', schedule: 'sch', subscription: 'sub', source: 'src', delivery: 'dlv' },
  ...{ incident: 'inc', decision: 'dec', approval: 'apr' },
};

/** Values of parameters by name. */
export const parameterExamples: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ids.map((name) => [`${name}_id`, `${prefixes[name] ?? name}_${ulid}`])),
  ...{
    orb_id: 'demo.echo@1.0.0',
    id: 'default',
    code: 'rate_limited',
    provider: 'outbox',
    namespace: 'acme',
    name: 'b',
    model: 'small',
  },
  ...{
    callback_id: `evt_${ulid}`,
    maintenance_id: `mnt_${ulid}`,
    source_token: 'the-token-of-the-source',
    token: 'the-token-of-the-link',
    kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  },
  ...{ page: 'call', section: 'operate', subpage: 'policies', screen: 'runs', item: `run_${ulid}`, part: 'receipt' },
  ...{
    shard: '0',
    level: '0',
    first: '000',
    second: '000',
    third: '000',
    fourth: '000',
    from: '1',
    to: '2',
    index: '0',
  },
  ...{ version: '1', n: '1', q: 'idempotency', revision: '0123456789ab', other: 'ba9876543210' },
};

/** Values of parameters of single operations. */
export const ownParameters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(['getPolicy', 'setPolicyMode'].map((operation) => [operation, { id: 'execute_by_scope' }])),
  ...Object.fromEntries(
    ['deletePolicy', 'dropPolicyDraft', 'putPolicyDraft'].map((operation) => [operation, { id: 'no_bulk_mail' }]),
  ),
  exportEvidence: { from: time.replace('2030', '2026') },
  getCertificate: { id: `crt_${ulid}` },
  deleteOrbiset: { id: 'team' },
  replaceOrbiset: { id: 'team' },
  putOrb: { orb_id: 'demo.greet@1.0.0' },
  deleteOrb: { orb_id: 'demo.greet@1.0.0' },
  swapProvider: { orb_id: 'notify.email@1.0.0' },
};

/** Bodies by operation. */
export const bodyExamples: Readonly<Record<string, object>> = {
  executeOrb: greeting,
  previewRun: greeting,
  decideApproval: { decision: 'approve', digest: `sha256:${'0'.repeat(64)}`, comment: 'A customer that we know' },
  createKey: { name: 'my app', scopes: ['orbs:execute:notify.*', 'runs:read'] },
  createSchedule: { orb_id: 'demo.echo@1.0.0', inputs: { text: 'good morning' }, cron: '30 8 * * MON-FRI' },
  createSubscription: { url: 'https://hooks.example.com/orb', types: ['run.completed'] },
  createOrbiset: { id: 'team', orbs: ['demo.*'] },
  replaceOrbiset: { orbs: ['demo.*'] },
  putOrb: {
    ...{ manifest_version: 1, orb_id: 'demo.greet@1.0.0', title: 'Greet', capability: 'echo' },
    ...{ description: 'Answers with the text it was given.', inputs_schema: text, outputs_schema: text },
    ...{ effect: 'none', action_class: 'read', timeout_ms: 5000 },
  },
  ...{ createChatCompletion: chat, createChatCompletionInOrbiset: chat },
  ...{ createMessage: message, createMessageInOrbiset: message, countTokens: chat, countTokensInOrbiset: chat },
  ...{ createEmbeddings: embedding, createEmbeddingsInOrbiset: embedding },
  callMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  importTools: { only: ['echo'] },
  swapProvider: { provider: 'outbox' },
  beginConsoleSession: { key: 'orb_live_…' },
  readConsoleLink: { link: 'A'.repeat(43) },
  dismissNode: { confirm: 'b' },
  revokeSigningKey: { reason: 'The key may have been copied' },
  publishOrb: { orb_id: 'notify.email@1.0.0' },
  changeListingStatus: { status: 'deprecated', reason: 'Use demo.echo@2.0.0' },
  grantNamespace: { namespace: 'acme' },
  suspendOrb: { reason: 'It sent wrong e-mails' },
  reinstateOrb: { reason: 'The fault is corrected' },
  dryRunPolicies: { action: 'execute', input: {} },
  putPolicyDraft: { source },
  activatePolicies: { drafts: ['no_bulk_mail'], message: 'No bulk mail' },
  rollBackPolicies: { message: 'Back to the revision before' },
  replayPolicyDecisions: { against: 'drafts', last: 100 },
  formatPolicies: { files },
  testPolicies: { files },
  validatePolicies: { files },
  createSource: { name: 'on-call', vendor: 'pagerduty' },
  changeSource: { name: 'on-call', retention_days: 30 },
  addSourceSecret: {},
  replayDeliveries: { source_id: `src_${ulid}`, state: 'dead', dry_run: true },
  openIncident: { title: 'E-mail is slow', severity: 'warning', scope: [{ kind: 'component', id: 'runtime' }] },
  acknowledgeIncident: {},
  addIncidentNote: { text: 'We are looking into it.' },
  resolveIncident: { reason },
  retractIncident: { reason: 'A test of the monitoring' },
  planMaintenance: {
    ...{ title: 'Upgrade of the database', scope: [{ kind: 'component', id: 'runtime' }] },
    ...{ starts_at: time, ends_at: '2030-01-31T13:00:00.000Z' },
  },
  changeMaintenance: { title: 'Upgrade of the database' },
};
