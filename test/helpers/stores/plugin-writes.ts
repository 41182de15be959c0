import { at, bytes, type ShippedWrite } from './kernel-writes.ts';

const key = (key_id: string, scopes: readonly string[]) => ({
  key: {
    ...{
      key_id,
      principal: 'prn_1',
      principal_name: 'P',
      tenant: 't',
      name: key_id,
      prefix: 'orb_',
      scopes,
      mode: 'live',
    },
    created_at: at(0),
  },
  hash: bytes(key_id),
});

const apiKeys: readonly ShippedWrite[] = [
  ['api_keys', 'createFirst', { stored: key('key_0', ['*']), node: 'a' }],
  ['api_keys', 'createFirst', { stored: key('key_9', ['*']), node: 'b' }],
  ['api_keys', 'create', key('key_1', ['*'])],
  ['api_keys', 'create', key('key_2', ['*'])],
  ['api_keys', 'create', key('key_2', [])],
  ['api_keys', 'touch', [{ key_id: 'key_1', at: at(1) }]],
  ['api_keys', 'revoke', { key_id: 'key_1', at: at(2) }],
  ['api_keys', 'revoke', { key_id: 'key_2', at: at(3) }],
  ['api_keys', 'revoke', { key_id: 'key_3', at: at(3) }],
];

const delivery = (delivery_id: string, delivery_key: string) => ({
  ...{ delivery_id, source_id: 'src_1', vendor: 'generic', delivery_key, stable: false, received_at: at(1) },
  ...{ method: 'POST', headers: {}, query: {}, size: 1, digest: 'sha256:x', auth_strength: 'strong', auth_scheme: 'x' },
  ...{ test: false, keep_until: at(100), secret_version: 1, body: { form: 'raw', bytes: bytes(delivery_id) } },
});
const signal = (signal_id: string, type = 'orb.signal.alert') => ({
  ...{ signal_id, delivery_id: 'dlv_1', source_id: 'src_1', fingerprint: 'f', type, occurred_at: at(0), ordinal: 0 },
  delivery_key: 'k1',
});
const settled = {
  ...{ delivery_id: 'dlv_1', withdrawn: [], progress: 0, normalizer_version: 1 },
  usage: [{ source_id: 'src_1', day: '2026-11-21', kind: 'k', name: 'n', verified: true, by: 2 }],
};
const secret = { source_id: 'src_1', sealed: bytes('s'), not_before: at(0) };

const ingestion: readonly ShippedWrite[] = [
  ['ingestion', 'addSource', { record: { source_id: 'src_1', name: 'n' }, token_hash: bytes('t'), created_at: at(0) }],
  ['ingestion', 'changeSource', { record: { source_id: 'src_1', name: 'm' }, since: at(0), at: at(1) }],
  ['ingestion', 'changeSource', { record: { source_id: 'src_1', name: 'o' }, since: at(0), at: at(1) }],
  ['ingestion', 'readdressSource', { source_id: 'src_1', token_hash: bytes('u'), at: at(1) }],
  ['ingestion', 'addSecret', { ...secret, created_at: at(0) }],
  ['ingestion', 'removeSecret', { source_id: 'src_1', version: 1, at: at(1) }],
  ['ingestion', 'addSecret', { ...secret, created_at: at(1), retire_others_at: at(9) }],
  ['ingestion', 'accept', delivery('dlv_1', 'k1')],
  ['ingestion', 'accept', delivery('dlv_2', 'k1')],
  ['ingestion', 'accept', delivery('dlv_3', 'k3')],
  ['ingestion', 'lease', { delivery_ids: ['dlv_1', 'dlv_3'], until: at(9) }],
  ['ingestion', 'settle', { ...settled, signals: [signal('sig_1')] }],
  ['ingestion', 'settle', { ...settled, signals: [], withdrawn: ['sig_1', 'sig_0'], state: 'dead', reason: 'r' }],
  ['ingestion', 'freeLeases', null],
  ['ingestion', 'requeue', { delivery_ids: ['dlv_1', 'dlv_3', 'dlv_9'] }],
  ['ingestion', 'settle', { ...settled, delivery_id: 'dlv_3', signals: [], state: 'done' }],
  ['ingestion', 'purge', { now: at(200) }],
  ['ingestion', 'pruneUsage', { before: '2026-11-22', most: 5 }],
  ['ingestion', 'removeSource', { source_id: 'src_1', at: at(9) }],
  [
    'ingestion',
    'takeEvents',
    {
      events: ['sig_1', 'sig_2'].map((event_id) => ({ event_id, fingerprint: 'f', key: 'k', occurred_ms: 1 })),
      withdrawn: [],
    },
  ],
  ['ingestion', 'takeEvents', { events: [], withdrawn: ['sig_1', 'sig_9'] }],
  [
    'ingestion',
    'applyChange',
    {
      record: {
        ...{ incident_id: 'inc_1', key: 'k', kind: 'alerts', change_number: 1, retracted: false, receipt_id: 'rec_1' },
        ...{ facts: { state: 'open', severity: 'high', scope: [{ kind: 'orb', id: 'x' }], starts_at: at(0) } },
        ...{ shown: { title: 't' }, updated_at: at(1) },
      },
      ...{ change: 'opened', deliveries: [{ delivery_id: 'dlv_1' }, { delivery_id: 'dlv_1' }], takes: ['inc_0'] },
      assigned: [{ event_id: 'sig_2', incident_id: 'inc_1' }],
    },
  ],
  [
    'ingestion',
    'settleKeys',
    {
      keys: [{ key: 'k' }, { key: 'l', due_ms: 7 }],
      ...{
        assigned: [],
        shown: [
          { incident_id: 'inc_1', shown: { title: 'u' } },
          { incident_id: 'inc_9', shown: {} },
        ],
      },
    },
  ],
  ['ingestion', 'putAct', { act_id: 'act_1', incident_id: 'inc_1', kind: 'resolved', at_ms: 1, principal: 'prn_1' }],
  ['ingestion', 'putNote', { note_id: 'not_1', incident_id: 'inc_1', text: 'x' }],
  ['ingestion', 'putWindow', { maintenance_id: 'mnt_1', starts_at: at(0), ends_at: at(9) }],
  ['ingestion', 'putWindow', { maintenance_id: 'mnt_2', starts_at: at(0), ends_at: at(9) }],
  ['ingestion', 'dropWindow', { maintenance_id: 'mnt_1' }],
  ['ingestion', 'pruneIncidents', { before: at(100), before_ms: 5 }],
  ...['ask_1', 'ask_2', 'ask_3', 'ask_4'].map((request_id): ShippedWrite => [
    'ingestion',
    'ask',
    { request_id, request: { kind: 'open', event: {} } },
  ]),
  ['ingestion', 'answerRequest', { request_id: 'ask_2', answer: {} }],
  ['ingestion', 'withdrawRequest', { request_id: 'ask_2' }],
  ['ingestion', 'withdrawRequest', { request_id: 'ask_3' }],
  ['ingestion', 'dropRequest', { request_id: 'ask_2' }],
  ['ingestion', 'forgetRequests', { before: 'ask_2' }],
  ['ingestion', 'tellRefreshed', { delivery_id: 'dlv_1' }],
  ['ingestion', 'noteOutage', { subject: '*', incarnation: 'a', state: 'firing', at_ms: 1, reason: 'r' }],
  ['ingestion', 'noteOutage', { subject: '*', incarnation: 'a', state: 'resolved', at_ms: 2, reason: 's' }],
  ['ingestion', 'noteOutage', { subject: '*', incarnation: 'b', state: 'firing', at_ms: 1, reason: 'r' }],
  ['ingestion', 'forgetOutages', { incarnations: ['b', 'c'] }],
];

const nothing = { orbs: [], incidents: [], namespaces: [], refused: [], events: [] };
const callerDay = { orb_id: 'a.b@1.0.0', day: 1, caller: 'c', ok: 1, fault: 0, broken: 0, fast: 1, slow: 0 };
const sums = {
  callerDays: [callerDay, callerDay],
  minutes: [{ orb_id: 'a.b@1.0.0', minute: 5, provider: 'p', n: 2, fault: 1 }],
  days: [{ orb_id: 'a.b@1.0.0', day: 1, name: 'self', n: 2 }],
};
const move = { origin: 'log/1', idx: 3, first: 0, run: 0 };
const certificate = (id: string, index: number) => ({
  ...{
    id,
    orb_id: 'a.b@1.0.0',
    tier: 'gold',
    kid: 'k',
    valid_from: at(0),
    valid_until: at(9),
    document: {},
    at: at(0),
  },
  ...{ reason: 'r', entries: { revocation: { list: 1, index }, suspension: { list: 2, index } } },
});

const ledger: readonly ShippedWrite[] = [
  [
    'ledger',
    'advance',
    {
      moves: [move],
      sums,
      changes: { ...nothing, orbs: [{ orb_id: 'a.b@1.0.0' }], events: [{ orb_id: 'a.b@1.0.0', x: 1 }] },
    },
  ],
  ['ledger', 'advance', { moves: [{ ...move, from: 9, idx: 10 }], sums, changes: nothing }],
  [
    'ledger',
    'takeSnapshot',
    { snapshot: { day: '2026-11-21' }, orbs: [{ orb_id: 'x' }], changes: nothing, oldest_minute: 9 },
  ],
  ['ledger', 'takeSnapshot', { snapshot: { day: '2026-11-21' }, orbs: [], changes: nothing, oldest_minute: 9 }],
  ['ledger', 'ensureSecret', { sealed: bytes('one') }],
  ['ledger', 'ensureSecret', { sealed: bytes('two') }],
  ['ledger', 'putSignature', { orb_id: 'x', envelope: '1' }],
  ['ledger', 'certificateIssued', certificate('crt_1', 5)],
  ['ledger', 'certificateIssued', certificate('crt_2', 5)],
  ['ledger', 'certificateIssued', certificate('crt_3', 6)],
  ...(['lift', 'suspend', 'suspend', 'lift', 'revoke', 'revoke'] as const).map((change): ShippedWrite => [
    'ledger',
    'certificateMarked',
    { id: 'crt_1', change, at: at(1), reason: 'x' },
  ]),
];

const listing = (revision: number) => ({
  ...{ orb_id: 'a.b@1.0.0', namespace: 'a', name: 'b', version: '1.0.0', status: 'active', revision, readme: '# ä' },
  title: 'T',
});

const beat = {
  ...{ at: 1000, clean: false, slept: false, node: 'a', incarnation: '1' },
  services: { runtime: 'operational' },
};

const others: readonly ShippedWrite[] = [
  ['marketplace', 'put', listing(1)],
  ['marketplace', 'put', listing(1)],
  ['marketplace', 'put', listing(2)],
  ['marketplace', 'compared', { listings: 1 }],
  ['marketplace', 'compared', { listings: 2 }],
  ['marketplace', 'noteGrant', { namespace: 'a', before: undefined, receipt_id: 'rec_1' }],
  ['marketplace', 'noteGrant', { namespace: 'a', before: 'rec_1', receipt_id: 'rec_2' }],
  ['marketplace', 'noteGrant', { namespace: 'a', before: 'rec_1', receipt_id: 'rec_3' }],
  ['observability', 'beat', { at: 5, clean: false }],
  ['observability', 'beat', { at: 3, clean: true }],
  ['observability', 'turn', { service: 'api', at: 10, status: 'down' }],
  ['observability', 'turn', { service: 'api', at: 9, status: 'operational' }],
  ['observability', 'keep', { service: 'api', from: 1, to: 2, status: 'down' }],
  ['observability', 'keep', { service: 'api', from: 20, status: 'down' }],
  ['observability', 'prune', { before: 5, most: 9 }],
  ['observability', 'beatBeside', { ...beat, at: 100_000, starts: { graceMs: 600_000 } }],
  ['observability', 'beatBeside', { ...beat, node: 'b', at: 20_000, clean: true }],
  ['observability', 'beatBeside', { ...beat, node: 'b', at: 200_000 }],
  ['observability', 'showServices', { ...beat, services: { runtime: 'degraded_performance' } }],
  ['observability', 'showServices', { ...beat, incarnation: '2', services: {} }],
];

const revision = (digest: string, pending = false) => ({
  ...{
    digest,
    files: [],
    compiled: { data: {} },
    wasm: bytes('w'),
    at: at(0),
    actor: 'folder',
    message: null,
    pending,
  },
});
const draft = (id: string, source: string) => ({ id, source, updated_at: at(0), updated_by: 'prn_1' });
const decision = (decision_id: string) => ({
  ...{ decision_id, tenant: 't', at: at(0), action: 'execute', allow: true, orb_id: '', principal: '', revision: null },
  ...{ run_id: null, receipt_id: null, record: '{}', shared: 'd', shared_text: '{"x":1}' },
});

const policy: readonly ShippedWrite[] = [
  ['policy', 'activate', revision('1')],
  ['policy', 'activate', revision('2')],
  ['policy', 'activate', revision('3', true)],
  ['policy', 'withdraw', { digest: '3' }],
  ['policy', 'activate', revision('1', true)],
  ['policy', 'putDraft', { condition: {}, draft: draft('a', 'A'), renamed: [] }],
  ['policy', 'putDraft', { condition: {}, draft: draft('a', 'B'), renamed: [draft('c', 'C')] }],
  ['policy', 'putDraft', { condition: { ifMatch: ['"other"'] }, draft: draft('a', 'C'), renamed: [] }],
  ['policy', 'putDraft', { condition: {}, draft: draft('b', 'B'), renamed: [] }],
  ['policy', 'settle', { digest: '1', drafts: [{ id: 'a', source: 'B' }] }],
  ['policy', 'dropDraft', { id: 'b' }],
  ['policy', 'dropDraft', { id: 'b' }],
  ['policy', 'activateAfter', { ...revision('4'), base: '1', drafts: [draft('a', 'C')] }],
  // Its answer was not heard.
  ['policy', 'activateAfter', { ...revision('4'), base: '1', drafts: [draft('a', 'C')] }],
  ['policy', 'activateAfter', { ...revision('5'), base: '1', drafts: [] }],
  ['policy', 'decide', decision('dec_1')],
  ['policy', 'decide', decision('dec_2')],
  ['policy', 'decide', decision('dec_3')],
  ['policy', 'keepText', { digest: 'd', text: '{}', used_on: '2026-11-25' }],
  ['policy', 'keepText', { digest: 'e', text: '{}', used_on: '2026-10-01' }],
  ['policy', 'prune', { before: 'dec_2', rows: 9, most: 9 }],
  ['policy', 'prune', { before: 'dec_0', rows: 1, most: 9 }],
];

const stored = (name: string, before: string | null, tag: string, most = 2) => ({
  ...{ name, before, tag, most, adapter: 'email/outbox', config_digest: tag, definition: '{"config":{}}' },
  ...{ principal: 'prn_1', created_at: at(0), changed_at: at(1), receipt_id: 'rec_1' },
});

const order = (before: string | null, tag: string) => ({
  ...{ orb_id: 'a.b@1.0.0', providers: ['a', tag], before, tag, principal: 'prn_1', changed_at: at(1) },
  receipt_id: 'rec_1',
});

const storedProviders: readonly ShippedWrite[] = [
  ['stored_providers', 'put', stored('a', null, '1')],
  ['stored_providers', 'put', stored('a', null, '2')],
  ['stored_providers', 'put', stored('a', '1', '2')],
  ['stored_providers', 'put', stored('b', null, '1')],
  ['stored_providers', 'put', stored('c', null, '1')],
  ['stored_providers', 'remove', { name: 'a', before: '1' }],
  ['stored_providers', 'remove', { name: 'a', before: '2' }],
  ['stored_providers', 'remove', { name: 'a', before: '2' }],
  ['stored_providers', 'putOrder', order(null, '1')],
  ['stored_providers', 'putOrder', order(null, '2')],
  ['stored_providers', 'putOrder', order('1', '2')],
  ['stored_providers', 'removeOrder', { orb_id: 'a.b@1.0.0', before: '1' }],
  ['stored_providers', 'removeOrder', { orb_id: 'a.b@1.0.0', before: '2' }],
];

/** Writes of the stores of shipped plugins, each operation at least once; some are refused. */
export const pluginWrites: readonly ShippedWrite[] = [
  ...[...apiKeys, ...ingestion, ...ledger, ...others, ...policy],
  ...storedProviders,
];
