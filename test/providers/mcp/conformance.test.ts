import { conformanceChecks } from '../../../plugins/kit/conformance/suite.ts';
import http from '../../../providers/mcp/http.ts';
import stdio from '../../../providers/mcp/stdio.ts';
import { digestOf, manifestOf } from './bed.ts';
import { echo, startFixture, type Fixture } from './fixture.ts';

const secret = 'Bearer correct-horse-battery';
const script = new URL('stdio-server.ts', import.meta.url).pathname;
const outputs_schema = { type: 'object', required: ['content'] };
const inputs = { text: 'hi', value: 'hi' };

/** Declares a check for each rule; options are called after the `before` hooks. */
function conforms(options: Parameters<typeof conformanceChecks>[0]): void {
  for (const { title, run } of conformanceChecks(options)) it(title, run);
}

describe('mcp/http, as an adapter', function () {
  this.timeout(120_000);
  let fixture: Fixture;
  let earlier = 0;
  before(async () => {
    fixture = await startFixture();
  });
  beforeEach(() => {
    earlier = fixture.count('tools/call');
  });
  after(() => fixture.close());
  const upstream = { provider: 'fix', tool: echo.name, definition_digest: digestOf(echo) };
  conforms({
    adapter: http,
    orb: { effect: 'irreversible', outputs_schema, upstream },
    config: () => ({ url: fixture.url, private: true, headers: { authorization: secret } }),
    inputs,
    secrets: [secret],
    receiver: () => ({ effects: () => fixture.count('tools/call') - earlier }),
    faults: [
      {
        name: 'the server hangs up',
        outcome: 'unknown',
        arrange: () => {
          fixture.fault = (asked, response) => asked === 'tools/call' && (response.destroy(), true);
          return undefined;
        },
        restore: () => void (fixture.fault = undefined),
        calls: 1,
      },
    ],
  });
});

describe('mcp/stdio, as an adapter', function () {
  this.timeout(240_000);
  const tool = { name: 'echo', inputSchema: { type: 'object' } };
  const { upstream } = manifestOf(tool) as {
    upstream: { provider: string; tool: string; definition_digest: string };
  };
  conforms({
    adapter: stdio,
    orb: { effect: 'irreversible', outputs_schema, upstream },
    config: () => ({ command: process.execPath, args: [script], env: { TOKEN: secret } }),
    inputs,
    secrets: [secret],
  });
});
