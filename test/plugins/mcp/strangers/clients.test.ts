import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { need } from '../../../helpers/needs.ts';
import { runPython } from '../../../helpers/python.ts';
import { until } from '../../../helpers/until.ts';

type Result = Answer['body'];

/** What a client that is not ours does. */
interface Stranger {
  list(): Promise<readonly { readonly name: string }[]>;
  call(name: string, args: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<Result>;
  close(): Promise<void>;
}

const identity = { name: 'stranger', version: '1.0.0' };

describe('clients that are not ours', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  before(async () => {
    const deciding = definePlugin({
      name: 'deciding',
      start({ hooks }) {
        hooks.authorize.tap('deciding', ({ context }) => {
          const denied = JSON.stringify(context['inputs']).includes('forbidden');
          const reasons = [{ code: 'forbidden_text', message: 'This text is not allowed.' }];
          return { allow: !denied, policies: [], warns: 0, shadow_denies: 0, ...(denied ? { reasons } : {}) };
        });
        return {};
      },
    });
    platform = await startPlatform({
      plugins: [deciding],
      platform: { authorize: 'deciding', providers: { echo: { adapter: 'echo/local' } }, plugins: { deciding: {} } },
    });
  });
  after(() => platform.stop());

  const url = (): URL => new URL(`${platform.url}/orbisets/default/mcp`);
  const requestInit = (): RequestInit => ({ headers: { Authorization: `Bearer ${platform.adminKey}` } });

  async function official(mode: 'auto' | 'legacy'): Promise<Stranger> {
    const client = new Client(identity, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url(), { requestInit: requestInit() }));
    return {
      list: async () => (await client.listTools()).tools,
      call: (name, args, options) => client.callTool({ name, arguments: args }, options),
      close: () => client.close(),
    };
  }

  async function older(): Promise<Stranger> {
    const client = new Client1(identity);
    // Its declarations are not made for exactOptionalPropertyTypes.
    await client.connect(new Transport1(url(), { requestInit: requestInit() }));
    return {
      list: async () => (await client.listTools()).tools,
      call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
      close: () => client.close(),
    };
  }

  const strangers: Readonly<Record<string, () => Promise<Stranger>>> = {
    'the official client, which asks for 2026-07-28': () => official('auto'),
    'the official client as it opens by default': () => official('legacy'),
    'the SDK of before (1.x)': older,
  };
  for (const [title, open] of Object.entries(strangers))
    it(`${title} lists, calls, hears a denial in words, and is told of an unknown tool`, async () => {
      const stranger = await open();
      try {
        expect((await stranger.list()).map(({ name }) => name)).to.include.members(['demo_echo', 'orb_run_status']);
        const done = await stranger.call('demo_echo', { text: 'hello' });
        expect(done.structuredContent.outputs).to.deep.equal({ text: 'hello' });
        const status = await stranger.call('orb_run_status', { run_id: done.structuredContent.run_id });
        expect(status.structuredContent.status).to.equal('completed');
        const denied = await stranger.call('demo_echo', { text: 'forbidden' });
        expect(denied.isError).to.equal(true);
        expect(denied.content[0].text).to.match(
          /^Not allowed by the operator's rules \(forbidden_text\)\. Nothing was done/,
        );
        const wrong = await stranger.call('demo_echo', {});
        expect(wrong.content[0].text).to.match(/^The arguments do not fit: \/text: is required\./);
        const unknown = await stranger.call('no_such_tool', {}).catch((error: Error) => error);
        expect(String((unknown as Error).message)).to.contain('Unknown tool: no_such_tool');
      } finally {
        await stranger.close();
      }
    });

  for (const [name, options] of [
    ['the official client, which asks for 2026-07-28', { versionNegotiation: { mode: 'auto' } }],
    ['the official client as it opens by default', {}],
  ] as const)
    it(`${name} hears of changes of its tools`, async () => {
      const heard: string[] = [];
      const onChanged = (error: Error | null, tools: readonly { readonly name: string }[] | null): void =>
        void heard.push(...(error === null ? (tools ?? []).map((tool) => tool.name) : [error.message]));
      const client = new Client(identity, { ...options, listChanged: { tools: { onChanged } } });
      try {
        await client.connect(new StreamableHTTPClientTransport(url(), { requestInit: requestInit() }));
        const label = `v${options.versionNegotiation === undefined ? 1 : 2}`;
        const manifest = {
          ...{ manifest_version: 1, title: 'T', description: 'D.', capability: 'echo', effect: 'none' },
          ...{ inputs_schema: { type: 'object' }, outputs_schema: { type: 'object' } },
          ...{ action_class: 'read', timeout_ms: 1000 },
        };
        // The stream may open a moment after the connection.
        let made = 0;
        await until(
          async () => {
            const orb_id = `fresh.${label}n${made++}@1.0.0`;
            expect((await platform.call('PUT', `/orbs/${orb_id}`, { ...manifest, orb_id })).status).to.equal(201);
            return heard;
          },
          (names) => names.some((tool) => tool.startsWith(`fresh_${label}n`)),
          'a list with a new tool',
          300,
        );
      } finally {
        await client.close();
      }
    });

  it('the Python client lists, calls and hears a denial', async function () {
    const script = `
import asyncio, json, sys
from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

async def main(url, key):
    async with create_mcp_http_client(headers={"Authorization": "Bearer " + key}) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                tools = await session.list_tools()
                done = await session.call_tool("demo_echo", {"text": "hello"})
                denied = await session.call_tool("demo_echo", {"text": "forbidden"})
                shown = lambda it: it.model_dump(by_alias=True, mode="json")
                print(json.dumps({"tools": [t.name for t in tools.tools], "done": shown(done), "denied": shown(denied)}))

asyncio.run(main(sys.argv[1], sys.argv[2]))
`;
    need(this, 'python');
    const said = JSON.parse(await runPython(['-c', script, url().href, platform.adminKey], { cwd: '/' }));
    expect(said.tools).to.include('demo_echo');
    expect(said.done.structuredContent.outputs).to.deep.equal({ text: 'hello' });
    expect(said.denied.isError).to.equal(true);
    expect(said.denied.content[0].text).to.contain('Not allowed');
  });
});
