/** One operation of a shipped store with its arguments. */
export type ShippedWrite = readonly [store: string, operation: string, args: unknown];

/** A time of the day on which these writes are. */
export const at = (second: number): string => new Date(Date.UTC(2026, 10, 21) + second * 1000).toISOString();
/** Bytes of a text. */
export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const owner = { node: 'a', incarnation: '0123456789abcdef' };

const run = (run_id: string, status: string) => ({
  ...{ run_id, tenant: 't', orbiset_id: 's', orb_id: 'a.b@1.0.0', principal: 'prn_1', status, reason: null },
  ...{
    mode: 'live',
    provider: 'p',
    started_at: at(0),
    finished_at: at(1),
    execution_ms: 1000,
    receipt_id: `rec_${run_id}`,
  },
  ...{ resolution: null, silent: null, key_id: 'key_1' },
});
const event = (second: number) => ({
  ...{ event_id: `evt_${second}`, type: 'key.created', scope: 'keys:manage', tenant: 't', at: at(second) },
  data: { key_id: 'key_1' },
});
const opening = { orb_id: 'a.b@1.0.0', provider: 'p', adapter: 'x', config_digest: 'sha256:x', created_at: at(0) };
const swap = (swap_id: string) => ({
  ...{ swap_id, orb_id: 'a.b@1.0.0', from: 'p', from_generation: 1, to: 'q', generation: 0, state: 'opening' },
  ...{ started_at: at(2), ...owner },
});
const orbUse = (in_flight: object) => ({ orb_id: 'a.b@1.0.0', ...owner, generation: 2, draining: true, in_flight });
const orb = (orb_id: string, digest: string) => ({
  ...{ orb_id, digest, manifest: '{"ä":"€"}', principal: 'prn_1', put_at: at(0), limit: 2 },
});
const orbiset = (orbiset_id: string, tenant: string) => ({
  ...{ orbiset_id, tenant, manifest: '{}', principal: 'prn_1', put_at: at(0), limit: 1 },
});

const runtime: readonly ShippedWrite[] = [
  ['runtime', 'insertRun', run('run_1', 'completed')],
  ['runtime', 'insertRun', { ...run('run_2', 'indeterminate'), silent: '["p","q"]' }],
  ['runtime', 'insertRun', run('run_2', 'completed')],
  ['runtime', 'resolveRun', { run_id: 'run_2', status: 'completed', resolution: 'rec_3', silent: '["p"]' }],
  ['runtime', 'resolveRun', { run_id: 'run_2', status: 'failed', resolution: 'rec_4', silent: null }],
  ['runtime', 'countCallers', { before: 'run_9' }],
  ['runtime', 'insertRun', { ...run('run_0', 'failed'), key_id: null }],
  [
    'runtime',
    'count',
    { samples: [{ what: 'w', tenant: 't', orbiset_id: '', orb_id: '', name: '', status: 'x', mode: '', at: at(3) }] },
  ],
  ['runtime', 'recordEvent', event(1)],
  ['runtime', 'recordEvent', event(2)],
  ['runtime', 'gatherCounts', { from: 0, to: 2_000_000_000_000, own: true }],
  ['runtime', 'gatherCounts', { from: 0, to: 2_000_000_000_000, own: false }],
  ['runtime', 'foldCounts', { from: 60, into: 3600, before: 2_000_000_400 }],
  ['runtime', 'forgetCounts', { step: 86_400, before: 2_000_000_000 }],
  ['runtime', 'foldCallers', { hour: '2027-01-01T00', day: '2020-01-01' }],
  ['runtime', 'forgetEvents', { before: at(2), most: 10 }],
  ['runtime', 'openGeneration', opening],
  ['runtime', 'openGeneration', opening],
  ['runtime', 'beginSwap', { swap: swap('swp_1'), opening }],
  ['runtime', 'putSwap', { ...swap('swp_1'), generation: 3, state: 'draining', switched_at: at(4) }],
  ['runtime', 'noteSwapNode', { swap_id: 'swp_1', node: 'b', incarnation: 'bb', phase: 'opened' }],
  ['runtime', 'noteSwapNode', { swap_id: 'swp_1', node: 'b', incarnation: 'bb', phase: 'failed', detail: 'shut' }],
  ['runtime', 'takeSwap', { swap_id: 'swp_1', node: 'b', incarnation: 'bb' }],
  ['runtime', 'moveSwap', { swap_id: 'swp_1', state: 'rolled_back' }],
  ['runtime', 'moveSwap', { swap_id: 'swp_1', state: 'completed' }],
  ['runtime', 'beginSwap', { swap: swap('swp_2'), opening }],
  ['runtime', 'interruptSwap', { swap_id: 'swp_2', receipt_id: 'rec_9' }],
  ['runtime', 'noteSwapNode', { swap_id: 'swp_2', node: 'b', incarnation: 'bb', phase: 'opened' }],
  ['runtime', 'putOrbUse', orbUse({ mail: 2 })],
  ['runtime', 'putOrbUse', orbUse({})],
  ['runtime', 'bindProvider', { orb_id: 'a.b@1.0.0', provider: 'q', swap_id: 'swp_1', bound_at: at(5) }],
  ['runtime', 'bindProvider', { orb_id: 'a.b@1.0.0', provider: 'r', swap_id: 'swp_2', bound_at: at(6) }],
  ['runtime', 'requireUnbound', { provider: 'q' }],
  ['runtime', 'requireUnbound', { provider: 'r' }],
  ['runtime', 'putOrb', orb('a.b@1.0.0', '1')],
  ['runtime', 'useManifest', { orb_id: 'a.b@1.0.0', digest: '1' }],
  ['runtime', 'useManifest', { orb_id: 'a.b@1.0.0', digest: '2' }],
  ['runtime', 'putOrb', orb('a.b@1.0.0', '2')],
  ['runtime', 'putOrb', orb('a.c@1.0.0', '1')],
  ['runtime', 'putOrb', orb('a.d@1.0.0', '1')],
  ['runtime', 'deleteOrb', { orb_id: 'a.b@1.0.0' }],
  ['runtime', 'yieldOrb', { orb_id: 'a.c@1.0.0' }],
  ['runtime', 'putOrbiset', orbiset('s1', 't')],
  ['runtime', 'putOrbiset', orbiset('s2', 't')],
  ['runtime', 'putOrbiset', orbiset('s1', 'u')],
  ['runtime', 'keepOrbisetId', { orbiset_id: 's1', tenant: 't' }],
  ['runtime', 'tellDefinitions', { provider: 'p' }],
  ['runtime', 'askCancel', { run_id: 'run_1' }],
  ['runtime', 'refuseCancel', { run_id: 'run_1' }],
];

const claim = (key: string, subject: string, method = 'POST') => ({
  ...{ principal: 'prn_1', method, path: '/p', key, fingerprint: 'f', subject, expires_at: 100, ...owner },
});
const intent = (run_id: string) => ({ run_id, fact: '{}', ...owner });

const journal: readonly ShippedWrite[] = [
  ['journal', 'intend', intent('run_1')],
  ['journal', 'renewIntent', { run_id: 'run_1', fact: '{"a":1}' }],
  ['journal', 'renewIntent', { run_id: 'run_0', fact: '{}' }],
  ['journal', 'claimRun', { claim: claim('k', 'run_2'), intent: intent('run_2'), now: 1 }],
  ['journal', 'claimRun', { claim: claim('k', 'run_3'), intent: intent('run_3'), now: 1 }],
  ['journal', 'claimRunOrFail', { claim: claim('m', 'run_8'), intent: intent('run_8'), now: 1 }],
  ['journal', 'claimRunOrFail', { claim: claim('m', 'run_9'), intent: intent('run_9'), now: 1 }],
  ['journal', 'closeRun', { run_id: 'run_1' }],
  ['journal', 'closeRun', { run_id: 'run_1' }],
  ['journal', 'finishKey', { ...claim('k', 'run_2'), answer: '{"b":2}', now: 1 }],
  ['journal', 'claimKey', { claim: claim('k', 'run_7'), now: 50 }],
  // It awaits, so that the loser before it hears of the row as it is here.
  ['journal', 'finishKey', { ...claim('k', 'run_3'), answer: '{}', now: 1 }],
  ['journal', 'claimKey', { claim: claim('k', 'run_4'), now: 100 }],
  ['journal', 'freeKey', claim('k', 'run_3')],
  ['journal', 'claimKey', { claim: claim('r', 'run_5', 'repeat'), now: 1 }],
  ['journal', 'settleRepeats', { run_id: 'run_5', answer: '[]', expires_at: 5 }],
  ['journal', 'deliverKey', { ...claim('r', 'run_5', 'repeat'), expires_at: 3 }],
  ['journal', 'freeDeliveredKeys', { ...claim('another', 'run_5', 'repeat'), expires_at: 2 }],
  ['journal', 'freeDeliveredKeys', { ...claim('another', 'run_5', 'repeat'), expires_at: 3 }],
  ['journal', 'claimKey', { claim: claim('s', 'run_6', 'repeat'), now: 1 }],
  ['journal', 'freeRepeats', { run_id: 'run_6' }],
  ['journal', 'claimKey', { claim: claim('i', 'run_8'), now: 1 }],
  ['journal', 'freeIdleKey', claim('i', 'run_8')],
  ['journal', 'freeIdleKey', claim('k', 'run_2')],
  ['journal', 'claimKey', { claim: claim('o', 'run_9'), now: 1 }],
  ['journal', 'freeAnsweredKey', claim('o', 'run_9')],
  ['journal', 'finishKey', { ...claim('o', 'run_9'), answer: '{}', now: 1 }],
  ['journal', 'freeAnsweredKey', claim('o', 'run_9')],
  ['journal', 'eraseKeys', { now: 5, most: 9 }],
];

/** So many of the writes defer something, the first ones. */
export const deferring = 10;

/** Writes of the stores of the kernel, each operation at least once; some are refused. */
export const kernelWrites: readonly ShippedWrite[] = [...runtime, ...journal];
