import { expect } from 'chai';
import fc from 'fast-check';
import { metaKeys, modern } from '../../../../plugins/mcp/wire/wire.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { mcpClient, type McpClient } from '../client.ts';

// 10,000 in `npm run soak`.
const numRuns = process.env['REPEAT_SOAK'] === '1' ? 10_000 : 500;

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constant(undefined),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.double(),
);
const or = <T>(likely: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: likely }, { weight: 1, arbitrary: junk });

const methods = [
  ...['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'subscriptions/listen'],
  ...['notifications/cancelled', 'notifications/initialized', 'resources/read', '__proto__', 'toString', ''],
];
const tools = fc.constantFrom('demo_echo', 'notify_email', 'orb_run_status', 'constructor', 'no_such');
const _meta = fc.record(
  {
    [metaKeys.version]: or(fc.constantFrom(modern, '2025-11-25', '2031-01-01')),
    [metaKeys.capabilities]: or(fc.constant({})),
    [metaKeys.client]: or(fc.record({ name: fc.string(), version: fc.string() })),
    progressToken: or(fc.oneof(fc.string(), fc.integer())),
    traceparent: or(fc.string()),
    'agent-orb/idempotency-key': or(fc.constantFrom('a', 'b', 'c')),
    'agent-orb/timeout-ms': or(fc.integer({ min: -5, max: 700_000 })),
    'agent-orb/delivery': or(fc.constantFrom('at_most_once', 'at_least_once')),
    'agent-orb/disclose': or(fc.boolean()),
    'agent-orb/else': junk,
  },
  { requiredKeys: [] },
);
const params = fc.record(
  {
    _meta: or(_meta),
    name: or(tools),
    arguments: or(fc.oneof(fc.record({ text: or(fc.string()) }), fc.record({ run_id: or(fc.string()) }))),
    cursor: junk,
    notifications: or(fc.record({ promptsListChanged: junk })),
    protocolVersion: junk,
  },
  { requiredKeys: [] },
);
const envelope = or(
  fc.record(
    {
      jsonrpc: or(fc.constant('2.0')),
      id: or(fc.oneof(fc.integer(), fc.string())),
      method: or(fc.constantFrom(...methods)),
      params: or(params),
    },
    { requiredKeys: [] },
  ),
);
const headers = fc.record(
  {
    'mcp-protocol-version': fc.constantFrom(modern, '2025-11-25', '2031-01-01', 'x'),
    'mcp-method': fc.constantFrom(...methods.filter((method) => method !== '')),
    'mcp-name': fc.constantFrom('demo_echo', '=?base64?ZGVtb19lY2hv?=', '=?base64?!?='),
    accept: fc.constantFrom('application/json', 'text/event-stream', '*/*', 'text/html'),
    origin: fc.constantFrom('https://elsewhere.example', 'null'),
  },
  { requiredKeys: [] },
);
const plainCall = fc.record({
  jsonrpc: fc.constant('2.0'),
  id: fc.integer(),
  method: fc.constant('tools/call'),
  params: fc.record({ name: tools, arguments: fc.record({ text: fc.string() }) }),
});

const requests = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(envelope, headers) },
  { weight: 1, arbitrary: fc.tuple(envelope, fc.constant({})) },
  { weight: 1, arbitrary: fc.tuple(plainCall as fc.Arbitrary<unknown>, fc.constant({})) },
);

describe('any envelope', function () {
  this.timeout(900_000);
  let platform: TestPlatform;
  let client: McpClient;
  const said: string[] = [];
  before(async () => {
    platform = await startPlatform({ onLog: (line) => void (/"level":"?(50|error)/.test(line) && said.push(line)) });
    client = mcpClient(platform);
  });
  after(() => platform.stop());

  it(`is answered below 500, in JSON-RPC, and no run is without a receipt (${numRuns})`, async () => {
    const runs = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requests, async ([body, more]) => {
        const answer = await client.post(JSON.stringify(body ?? null), { headers: more });
        expect(answer.status, JSON.stringify([body, more, answer.body])).to.be.below(500);
        const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
        if (answer.status !== 202 && typeof answer.body !== 'string') expect(answer.body.jsonrpc).to.equal('2.0');
        for (const [run] of text.matchAll(/run_[0-9A-HJKMNP-TV-Z]{26}/g)) runs.add(run);
      }),
      { numRuns },
    );
    expect(said).to.deep.equal([]);
    expect(runs.size).to.be.greaterThan(numRuns / 200);
    for (const run of runs) {
      const { status, body } = await platform.call('GET', `/runs/${run}`);
      // What a caller made up is no run.
      if (status === 404) continue;
      expect((await platform.call('GET', `/receipts/${body.receipt_id}`)).body.signature_valid, run).to.equal(true);
    }
  });
});
