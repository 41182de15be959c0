import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, median, scriptOf, type Round } from './load.ts';
import { requestBody } from './payload.ts';
import { quiet } from './quiet.ts';
import { startGoverned, type Target } from './server.ts';

const effectful = {
  manifest_version: 1,
  orb_id: 'bench.effect@1.0.0',
  title: 'Echo as if it had an effect',
  description: 'The echo, declared irreversible: its runs need an intent.',
  capability: 'echo',
  inputs_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  outputs_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  effect: 'irreversible',
  action_class: 'notify',
  data_classes: ['internal'],
  timeout_ms: 5000,
};

const limits = { rate: { count: 1_000_000, window_s: 1 }, concurrency: 10_000 };
const data = {
  'orbs/bench.effect@1.0.0.json': effectful,
  'orbisets/limited.json': { id: 'limited', tenant: 'default', orbs: ['*'], limits },
};
const uniqueKey = `local n = 0
request = function()
  n = n + 1
  wrk.headers['Idempotency-Key'] = '%P-' .. n
  return wrk.format()
end`;

interface Layer {
  readonly name: string;
  readonly orb: string;
  readonly orbiset: string;
  readonly keyed: boolean;
}

const layers: readonly Layer[] = [
  { name: 'governed run', orb: requestBody.orb_id, orbiset: 'default', keyed: false },
  { name: '+ limits of key and Orbiset', orb: requestBody.orb_id, orbiset: 'limited', keyed: false },
  { name: '+ Idempotency-Key', orb: requestBody.orb_id, orbiset: 'default', keyed: true },
  { name: '+ intent (an effect)', orb: effectful.orb_id, orbiset: 'default', keyed: false },
  { name: '+ intent and Idempotency-Key', orb: effectful.orb_id, orbiset: 'default', keyed: true },
];

/** Prints what limits, idempotency keys and intents each add to a governed run. */
export async function layerCosts(
  dir: string,
  options: { readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const target = await startGoverned({ data });
  const results = new Map<string, Round[]>();
  const plain: Layer = { name: 'plain', orb: requestBody.orb_id, orbiset: 'default', keyed: false };
  try {
    await load(target, scriptFor(dir, target, plain, 'warm'), 64, 2);
    for (let round = 0; round < options.rounds; round++)
      for (const [index, layer] of layers.entries()) {
        // What follows a run, the audit above all, would take from the next.
        await quiet(target.pid);
        const figures = await load(
          target,
          scriptFor(dir, target, layer, `${round}-${index}`),
          64,
          options.seconds,
          layer.orbiset,
        );
        results.set(layer.name, [...(results.get(layer.name) ?? []), figures]);
      }
  } finally {
    await target.stop();
  }
  const figure = (name: string, of: (round: Round) => number): number => median((results.get(name) ?? []).map(of));
  const base = figure('governed run', ({ perSecond }) => perSecond);
  console.log('\nWhat a run can ask for beside, 64 connections      per s   of plain   CPU µs   errors');
  for (const { name } of layers) {
    const perSecond = figure(name, (round) => round.perSecond);
    const cells = [
      perSecond.toFixed(0).padStart(8),
      `${((perSecond / base) * 100).toFixed(0)} %`.padStart(10),
      figure(name, (round) => round.cpuMicros)
        .toFixed(0)
        .padStart(8),
      figure(name, (round) => round.errors)
        .toFixed(0)
        .padStart(8),
    ];
    console.log(`  ${name.padEnd(44)}${cells.join(' ')}`);
  }
}

function scriptFor(dir: string, { key }: Target, { orb, keyed }: Layer, prefix: string): string {
  const path = join(dir, `layer-${prefix}.lua`);
  const unique = keyed ? uniqueKey.replace('%P', prefix) : '';
  writeFileSync(path, `${scriptOf({ ...requestBody, orb_id: orb }, key)}\n${unique}\n`);
  return path;
}

/** Prints how long a quiet tenant waits alone, and beside one that calls as fast as it can: unlimited, and over its limit. */
export async function loudNeighbour(dir: string, seconds: number): Promise<void> {
  console.log('\nA loud neighbour (64 connections) beside a quiet tenant (2 connections), p99 of the quiet one in ms');
  await neighbours(dir, seconds, 'without a limit', {});
  await neighbours(dir, seconds, '4 runs at once allowed', { limits: { key: { concurrency: 4 } } });
}

async function neighbours(dir: string, seconds: number, name: string, settings: object): Promise<void> {
  const orbisets = Object.fromEntries(
    ['loud', 'quiet'].map((tenant) => [`orbisets/${tenant}.json`, { id: tenant, tenant, orbs: ['*'] }]),
  );
  const target = await startGoverned({ data: orbisets, settings });
  try {
    const keys = new Map<string, string>();
    for (const tenant of ['loud', 'quiet']) keys.set(tenant, await createKey(target, tenant));
    const script = (tenant: string): string => {
      const path = join(dir, `${tenant}.lua`);
      writeFileSync(path, scriptOf(requestBody, keys.get(tenant) ?? ''));
      return path;
    };
    const quietly = () => load(target, script('quiet'), 2, seconds, 'quiet');
    await quietly();
    const alone = await quietly();
    const [beside, loud] = await Promise.all([quietly(), load(target, script('loud'), 64, seconds, 'loud')]);
    const ratio = (beside.p99 / alone.p99).toFixed(1);
    console.log(
      `  ${name.padEnd(24)} alone ${alone.p99.toFixed(2)}, beside ${beside.p99.toFixed(2)} (${ratio} ×); the loud one: ${loud.perSecond.toFixed(0)}/s, ${loud.errors} refused`,
    );
  } finally {
    await target.stop();
  }
}

async function createKey({ url, key }: Target, tenant: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/keys`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ tenant, scopes: ['orbs:execute'] }),
  });
  return ((await response.json()) as { key: string }).key;
}
