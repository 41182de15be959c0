import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startBed, httpProvider, manifestOf, type Bed } from '../../../providers/mcp/bed.ts';
import { startFixture, type Fixture, type FixtureTool } from '../../../providers/mcp/fixture.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';
const text = (said: string): object => ({ type: 'text', text: said });
const image = { type: 'image', data: pixel, mimeType: 'image/png' };

function tool(name: string, content: readonly object[], more: object = {}): FixtureTool {
  return { name, description: name, inputSchema: { type: 'object' }, run: () => ({ content, ...more }) };
}

/** The tools that the conformance suite calls. */
const tools: readonly FixtureTool[] = [
  tool('test_simple_text', [text('This is a simple text response for testing.')]),
  tool('test_image_content', [image]),
  tool('test_audio_content', [{ type: 'audio', data: silence, mimeType: 'audio/wav' }]),
  tool('test_embedded_resource', [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ]),
  tool('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' },
    },
  ]),
  tool('test_error_handling', [text('This tool intentionally returns an error for testing')], { isError: true }),
  {
    ...tool('test_tool_with_progress', []),
    run: async (_, tell) => {
      for (const progress of [0, 50, 100]) await tell(progress);
      return { content: [text('done')] };
    },
  },
  tool('test_logging_tool', [text('logged')]),
  { ...tool('greet', []), run: ({ name }) => ({ content: [text(`Hello, ${String(name)}!`)] }) },
  // Asks for nothing here: no tool does.
  tool('confirm_delete', [text('deleted')]),
  {
    ...tool('slow_compute', []),
    run: async ({ seconds }) => {
      await pause(Number(seconds) * 1000, undefined, { ref: false });
      return { content: [text('computed')] };
    },
  },
  ...['failing_job', 'protocol_error_job'].map((name) => ({
    ...tool(name, []),
    run: async () => {
      await pause(1000);
      return { content: [text('it failed')], isError: name === 'failing_job' };
    },
  })),
];

// What its tool answers breaks it.
const strict = { type: 'object', required: ['content', 'proof'] };

function orbOf(name: string): string {
  return name.startsWith('test_') ? `test.${name.slice(5)}@1.0.0` : `job.${name}@1.0.0`;
}

/** An Orbiset whose tools are those of a server that is not ours, behind a proxy that adds the key. */
export interface ConformanceServer {
  readonly url: string;
  readonly bed: Bed;
  stop(): Promise<void>;
}

/** Starts it: client → our MCP → our adapter → the fixture on the official server. */
export async function startConformanceServer(): Promise<ConformanceServer> {
  const fixture: Fixture = await startFixture(tools);
  const manifests = tools.map((one) =>
    manifestOf(one, {
      ...{ orb_id: orbOf(one.name), effect: 'none', action_class: 'read', timeout_ms: 90_000 },
      ...(one.name === 'protocol_error_job' ? { outputs_schema: strict } : {}),
    }),
  );
  const named = tools.filter(({ name }) => !name.startsWith('test_')).map(({ name }) => [orbOf(name), name]);
  const orbiset = { id: 'tools', tenant: 'default', orbs: ['*'], tools: { names: Object.fromEntries(named) } };
  const bed = await startBed({ fix: httpProvider(fixture.url) }, manifests, {
    platform: { plugins: { mcp: { config: { task_after_ms: 500 } } } },
    data: { 'orbisets/tools.json': orbiset },
  });
  const proxy = withKey(bed.platform.url, '/orbisets/tools/mcp', bed.platform.adminKey);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`,
    bed,
    async stop() {
      proxy.close();
      proxy.closeAllConnections();
      await bed.platform.stop();
      await fixture.close();
    },
  };
}

// The suite sends no key; Host and Origin go on as they came.
function withKey(target: string, path: string, key: string): Server {
  const { hostname, port } = new URL(target);
  return createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    const forward = request({ hostname, port, method: asked.method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    forward.once('error', () => answer.destroy());
    answer.once('close', () => forward.destroy());
    asked.pipe(forward);
  });
}
