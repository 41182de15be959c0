// Runs in plain Node, without a server: node --test. Beside it lies the package's example of an adapter.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PlatformError, type Adapter, type JsonSchema } from 'agent-orb-kit';
import { conformanceChecks, httpFaults, outsideSubset, startFaultServer, storeChecks } from 'agent-orb-kit/conformance';
import { tiers } from 'agent-orb-kit/plugins/ledger';
import plugin, { orbWatched } from './index.ts';
import store from './store.ts';

void test('a plugin, its store and its hook are defined by the functions of the package', () => {
  assert.deepEqual([plugin.name, store.name, orbWatched.kind], ['watches', 'watches', 'tell']);
  assert.equal(tiers.at(-1), 'platinum');
});

void test('an operation throws the problem of the package', async () => {
  const statement = { run: () => 0, get: () => undefined, all: () => [] };
  const { operations } = store.write({ connection: { prepare: () => statement } } as never);
  await assert.rejects(async () => operations.remove('demo.echo@1.0.0'), PlatformError);
});

void test('a store is held against the checks of stores', async (suite) => {
  for (const { title, run } of storeChecks(store)) await suite.test(title, run);
  assert.deepEqual(outsideSubset('SELECT watch_id FROM watches_orbs'), []);
});

void test('an adapter is held against the conformance suite', async (suite) => {
  const { default: adapter } = (await import(new URL('./acme/index.ts', import.meta.url).href)) as { default: Adapter };
  const settings = JSON.parse(readFileSync(new URL('./acme/verify.json', import.meta.url), 'utf8')) as {
    inputs: Record<string, unknown>;
  };
  const success = { status: 200, body: { message_id: 'acme-1' } };
  const server = await startFaultServer(success);
  const configAt = (port: number) => ({ url: `http://127.0.0.1:${port}/send`, token: 'a-made-up-token' });
  const outputs_schema: JsonSchema = { type: 'object', required: ['message_id'] };
  const checks = conformanceChecks({
    adapter,
    orb: { effect: 'irreversible', outputs_schema },
    config: () => configAt(server.port),
    inputs: settings.inputs,
    secrets: ['a-made-up-token'],
    faults: httpFaults(server, configAt),
  });
  assert.ok(checks.length > 15);
  for (const { title, run } of checks) await suite.test(title, run);
  await server.close();
});
