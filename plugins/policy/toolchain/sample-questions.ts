import type { Action } from '../contract.ts';

const subject = {
  type: 'principal',
  id: 'prn_00000000000000000000000000',
  key_id: 'key_00000000000000000000000000',
  tenant: 'default',
  scopes: ['*'],
  mode: 'live',
} as const;

const resource = {
  type: 'orb',
  id: 'smoke.test@1.0.0',
  namespace: 'smoke',
  name: 'test',
  version: '1.0.0',
  capability: 'echo',
  manifest_digest: `sha256:${'0'.repeat(64)}`,
  manifest_signed: false,
  action_class: 'read',
  effect: 'none',
  data_classes: ['public'],
  tier: 'none',
  score: null,
  state: 'active',
} as const;

const frame = {
  schema: 1,
  time: '2026-01-01T00:00:00.000Z',
  time_ns: '1767225600000000000',
  decision_id: 'dec_00000000000000000000000000',
  revision: `sha256:${'0'.repeat(64)}`,
  installation: 'ins_00000000000000000000000000',
  service_version: '0.0.0',
  client_ip: '127.0.0.1',
} as const;

const providers = [{ name: 'smoke', adapter: 'echo/local', health: 'up', generation: 1 }] as const;

const contexts: Readonly<Record<Action, object>> = {
  execute: {
    orbiset: { id: 'default', labels: {} },
    inputs: {},
    inputs_bytes: 2,
    delivery: 'at_most_once',
    providers,
    approvals: [],
  },
  swap: {
    providers,
    swap: {
      from: 'smoke',
      to: 'other',
      to_adapter: 'echo/local',
      to_sandbox: true,
      to_health: 'up',
      rollback: false,
      in_flight: 0,
    },
  },
  publish: { publish: { namespace_tenant: 'default' } },
};

function envelope(action: Action, asked: object = {}, about: object = {}): object {
  return {
    subject: { ...subject, ...asked },
    action: { name: action },
    resource: { ...resource, ...about },
    context: { ...frame, ...contexts[action] },
  };
}

/** Questions that every new revision must answer in time, in Wasm with the same result as in OPA's interpreter. */
export const smokeInputs: Readonly<Record<Action, readonly object[]>> = {
  execute: [envelope('execute'), envelope('execute', { scopes: [], mode: 'test' }, { state: 'suspended', score: 3 })],
  swap: [envelope('swap'), envelope('swap', { scopes: ['orbs:read'] })],
  publish: [envelope('publish'), envelope('publish', { tenant: 'other', scopes: ['marketplace:publish'] })],
};
