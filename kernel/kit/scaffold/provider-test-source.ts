/** Text of the test beside such an adapter. */
export const providerTestSource = `// Runs alone: node --test. What the platform asks of every adapter, orb provider verify checks.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Api, ProviderHandle } from './agent-orb.d.ts';
import define from './index.ts';

class ProviderError extends Error {
  readonly outcome: string;
  constructor(outcome: string, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

const log = { debug() {}, info() {}, warn() {}, error() {} };
let status = 200;
let seen: { headers: Record<string, unknown>; body: string }[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push({ headers: request.headers, body });
  response.writeHead(status).end(JSON.stringify(ANSWER));
});
let handle: ProviderHandle;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = { defineProvider: (definition: object) => definition, ProviderError } as unknown as Api;
  const adapter = define(api) as { open(scope: object): ProviderHandle | Promise<ProviderHandle> };
  const url = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}/\`;
  handle = await adapter.open({ config: { url, token: 'a-made-up-token' }, log });
});
after(async () => {
  await handle.close?.();
  server.closeAllConnections();
  server.close();
});

const execute = () =>
  handle.execute(SAMPLE, {
    signal: new AbortController().signal,
    idempotency_key: 'a'.repeat(52),
    log,
  });

test('hands over the inputs once, with the token and the key of the run', async () => {
  seen = [];
  status = 200;
  assert.deepEqual(await execute(), ANSWER);
  assert.equal(seen.length, 1);
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), SAMPLE);
  assert.equal(seen[0]?.headers['authorization'], 'Bearer a-made-up-token');
  assert.equal(seen[0]?.headers['idempotency-key'], 'a'.repeat(52));
});

for (const [code, outcome] of [
  [401, 'provider_fault'],
  [422, 'rejected'],
  [429, 'throttled'],
  [500, 'unknown'],
] as const)
  test(\`says \${outcome} of a \${code}\`, async () => {
    status = code;
    await assert.rejects(execute(), { outcome });
  });
`;
