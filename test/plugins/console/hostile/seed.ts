import { defineProvider, ProviderError } from '../../../../kernel/adapter.ts';
import { echo } from '../../../../providers/echo/contract.ts';
import { llm } from '../../../../providers/llm/contract.ts';
import type { PlatformOptions, TestPlatform } from '../../../helpers/platform.ts';
import { shippedOrb } from '../../models/bed.ts';
import { until } from '../../../helpers/until.ts';
import { long, objects, short, turned } from './payload.ts';

const line = long.replaceAll('\n', ' ').slice(0, 500);
const orb = 'demo.hostile@1.0.0';
/** A policy of a stranger's words. */
export const rego = `# METADATA
# title: hostile
# description: |
#   ${short}
package orb.policies.hostile

# ${short}
deny contains \`${short}\` if {
	input.action.name == "execute"
	input.context.inputs.text == "denied"
}

ask contains {"code": "hostile_text", "message": \`${short}\`, "approvers": "office"} if {
	input.action.name == "execute"
	startswith(input.context.inputs.text, "held")
}
`;

const hostile = defineProvider({
  name: 'hostile',
  capability: echo,
  about: short,
  config: {
    ...{ type: 'object', title: short, description: long, additionalProperties: false },
    properties: {
      note: { type: 'string', title: short, description: long, examples: [short] },
      hidden: { type: 'string', title: short, description: long, secret: true },
      map: { type: 'object', title: short, description: long, additionalProperties: { type: 'string' } },
    },
  },
  sandbox: true,
  open: () => ({
    execute: async ({ text }) => {
      if (text === 'unknown') throw new ProviderError('unknown', long, { phase: short });
      if (text === 'rejected') throw new ProviderError('rejected', long);
      return { text: turned, more: objects };
    },
    probe: async () => undefined,
  }),
});

// The name of a model has at most 128 printable characters, and no space.
const model = short.replaceAll(' ', '/').slice(0, 128);
const teller = defineProvider({
  name: 'teller',
  capability: llm,
  config: { type: 'object', additionalProperties: false, properties: { models: { type: 'object' } } },
  open: () => ({
    execute: async (_, { emit }) => {
      await emit?.({ type: 'text', text: turned });
      const usage = { input_tokens: 3, output_tokens: 4, source: 'vendor' };
      return { model: short, content: turned, tool_calls: [], finish_reason: 'stop', usage };
    },
  }),
});

const text = { type: 'string', maxLength: 100_000, title: short, description: long, default: short, examples: [short] };

/** A platform whose Orb, provider and policy are of somebody who means no good. */
export const hostilePlatform: PlatformOptions = {
  platform: {
    providers: {
      echo: { adapter: 'echo/local' },
      outbox: { adapter: 'email/outbox' },
      hostile: { adapter: 'echo/hostile' },
      teller: { adapter: 'llm/teller', config: { models: { [model]: {} } } },
    },
    bindings: { [orb]: ['hostile', 'echo'] },
    plugins: {
      budgets: { config: { budgets: ['key', 'model'].map((scope) => ({ scope, per: 'month', tokens: 1e9 })) } },
      approvals: { config: { groups: { office: ['prn_01M8FAMKDW8EACJ6XYYH95MPC3'] } } },
      subscriptions: { config: { private_hosts: [{ host: '127.0.0.1', port: 9 }] } },
    },
  },
  adapters: [hostile, teller],
  data: {
    [`orbs/${orb}.json`]: {
      ...{ manifest_version: 1, orb_id: orb, title: short, description: long, license: short, capability: 'echo' },
      inputs_schema: {
        ...{ type: 'object', title: short, description: long, required: ['text'] },
        properties: { text, choice: { enum: [short, 'b'] }, [short]: { type: 'string', description: long } },
      },
      outputs_schema: { type: 'object', properties: { text, more: { type: 'object' } } },
      ...{ effect: 'irreversible', action_class: 'notify', data_classes: ['public'], timeout_ms: 5000 },
    },
    'orbs/llm.chat@1.0.0.json': shippedOrb('llm.chat@1.0.0'),
    'orbisets/hostile.json': {
      id: 'hostile',
      tenant: 'default',
      orbs: ['*'],
      labels: { team: short },
      retention_days: { inputs: 1, outputs: 1 },
    },
  },
};

/** Ids of what was made. */
export interface Seeded {
  readonly orb: string;
  readonly [name: string]: string;
}

type Listed = { readonly kind: string; readonly receipt_id: string };

/** Fills every field that a stranger can fill, by the API; a field that is refused fails the test. */
export async function seed(platform: TestPlatform): Promise<Seeded> {
  const send = async (method: string, path: string, body?: unknown, key?: string) => {
    const answer = await platform.call(method, path, body, key);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const key = await send('POST', '/keys', { scopes: ['*'], name: short, principal_name: short });
  const runs = await seedRuns(platform, key.key);
  const messages = [{ role: 'user', content: long }];
  await send('POST', '/v1/chat/completions', { model, messages, max_completion_tokens: 9 }, key.key);
  await send('POST', '/marketplace/orbs/publish', {
    orb_id: orb,
    listing: {
      title: short.slice(0, 80),
      description: short.slice(0, 100),
      readme: long,
      homepage: 'https://elsewhere.example/',
    },
  });
  await send('PATCH', `/marketplace/orbs/${orb}/status`, { status: 'deprecated', reason: line });
  await send('POST', `/reputation/${orb}/suspend`, { reason: line });
  await send('POST', '/runs/' + runs.resolved + '/resolve', { outcome: 'sent', note: long });
  for (const provider of ['echo', 'hostile']) await send('POST', `/providers/${orb}/swap`, { provider });
  const kept = { adapter: 'echo/hostile', config: { note: long, hidden: short, map: { [short]: short } } };
  await send('PUT', '/providers/kept', kept);
  const incidents = await seedIncidents(platform);
  const inputs = { text: short, choice: short, [short]: long };
  const schedule = await send(
    'POST',
    '/orbisets/hostile/schedules',
    { orb_id: orb, cron: '0 0 1 1 *', inputs },
    key.key,
  );
  const subscription = await send('POST', '/orbisets/hostile/subscriptions', {
    url: `http://127.0.0.1:9/${short.replaceAll(' ', '/')}`,
    types: ['run.*'],
  });
  await send('PUT', '/policies/hostile_draft', {
    source: rego.replace('policies.hostile', 'policies.hostile_draft'),
    message: line,
  });
  const { receipts } = (await send('GET', '/receipts')) as { readonly receipts: readonly Listed[] };
  const receiptOf = (kind: string): string => receipts.find((one) => one.kind === kind)?.receipt_id ?? '';
  const keys = (await send('GET', '/signing-keys')).keys as readonly { readonly kid: string }[];
  return {
    orb,
    orb_id: orb,
    ...runs,
    receipt_id: receiptOf('run'),
    swap_receipt: receiptOf('swap'),
    key: key.key,
    name: 'kept',
    key_id: key.key_id,
    kid: keys[0]?.kid ?? '',
    id: 'hostile',
    orbiset_id: 'hostile',
    schedule_id: schedule.schedule_id,
    subscription_id: subscription.subscription.subscription_id,
    model,
    ...incidents,
  };
}

async function seedRuns(platform: TestPlatform, key: string): Promise<Readonly<Record<string, string>>> {
  const made: Record<string, string> = {};
  for (const [name, said] of Object.entries({
    run: turned,
    rejected: 'rejected',
    unknown: 'unknown',
    resolved: 'unknown',
    denied: 'denied',
    held: `held ${turned}`,
  })) {
    const inputs = { text: said, choice: short, [short]: long };
    const { body } = await platform.call('POST', '/orbisets/hostile/execute', { orb_id: orb, inputs }, key);
    if (typeof body.run_id !== 'string') throw new Error(JSON.stringify(body));
    made[name] = body.run_id;
    if (name === 'denied') made['decision_id'] = body.decision_id;
    if (name === 'held') made['approval_id'] = body.approval.id;
  }
  return made;
}

async function seedIncidents(platform: TestPlatform) {
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await platform.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const scope = [{ kind: 'orb', id: orb }];
  const { incident_id } = await call('POST', '/incidents', { title: short, severity: 'critical', scope });
  await call('POST', `/incidents/${incident_id}/notes`, { text: long, public: true });
  await call('POST', `/incidents/${incident_id}/notes`, { text: long });
  const starts_at = new Date(Date.now() + 3_600_000).toISOString();
  const ends_at = new Date(Date.now() + 7_200_000).toISOString();
  await call('POST', '/maintenance', { title: short, scope, starts_at, ends_at });
  const auth = { scheme: 'url' };
  const made = await call('POST', '/sources', {
    name: 'hostile',
    vendor: 'generic',
    auth,
    binding: { kind: 'orb', id: orb },
  });
  const alert = { id: short, type: short, time: new Date().toISOString(), state: 'firing', severity: 'critical' };
  const told = { ...alert, title: short, url: 'javascript:hit()', labels: { [short]: short, more: long } };
  const deliveries: string[] = [];
  for (const body of [JSON.stringify(told), `{"not": "whole ${long}`]) {
    const headers = { 'content-type': 'application/json', 'user-agent': 'hostile <img src=x onerror=hit()>' };
    const sent = await fetch(`${platform.url}/hooks/${made.token}`, { method: 'POST', headers, body });
    deliveries.push(((await sent.json()) as { readonly delivery_id: string }).delivery_id);
  }
  await until(
    async () => (await platform.call('GET', '/deliveries?state=dead')).body.deliveries.length,
    (dead) => dead === 1,
    'the dead letter',
  );
  return {
    incident_id,
    source_id: made.source.source_id,
    delivery_id: deliveries[0] ?? '',
    dead_id: deliveries[1] ?? '',
  };
}
