// Runs alone: node --test. `orb provider verify` checks the rules for every adapter.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Log, OpenScope, ProviderHandle } from 'agent-orb-kit';
import adapter from './index.ts';

// The inputs and the answer are those that the adapter is verified with.
const { inputs, fault_target } = JSON.parse(readFileSync(new URL('./verify.json', import.meta.url), 'utf8')) as {
  inputs: Record<string, unknown>;
  fault_target: { success: { body: Record<string, unknown> } };
};
const answer = fault_target.success.body;

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const { signal } = new AbortController();
const key = 'a'.repeat(52);
let status = 200;
let seen: { headers: Record<string, unknown>; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    seen.push({ headers: request.headers, body });
    response.writeHead(status).end(JSON.stringify(answer));
  });
});
let handle: ProviderHandle;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const scope = { config: { url, token: 'a-made-up-token' }, signal, stateDir: '', log };
  // The platform passes only a configuration that the adapter's own schema accepted.
  handle = await adapter.open(scope as OpenScope<unknown> as OpenScope<never>);
});
after(async () => {
  await handle.close?.();
  server.closeAllConnections();
  server.close();
});

test('hands over the inputs once, with the token and the key of the run', async () => {
  seen = [];
  status = 200;
  assert.deepEqual(await handle.execute(inputs, { signal, idempotency_key: key, log }), answer);
  assert.equal(seen.length, 1);
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), inputs);
  assert.equal(seen[0]?.headers['authorization'], 'Bearer a-made-up-token');
  assert.equal(seen[0]?.headers['idempotency-key'], key);
});

for (const [code, outcome] of [
  [401, 'provider_fault'],
  [422, 'rejected'],
  [429, 'throttled'],
  [500, 'unknown'],
] as const)
  test(`says ${outcome} of a ${code}`, async () => {
    status = code;
    await assert.rejects(handle.execute(inputs, { signal, idempotency_key: key, log }), { outcome });
  });
