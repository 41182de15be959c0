import { execFileSync } from 'node:child_process';
import { createContext, Script } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { curlFor, type Call } from '../../../../../plugins/console/app/frame/api-call.ts';
import { plainJson } from '../../../../../plugins/console/app/frame/plain-json.ts';
import { mcpCall, typescriptOf } from '../../../../../plugins/console/app/screens/try/snippets.ts';
import { callsOf, hostileCalls, origin, sentOf } from './hostile-calls.ts';

describe('a call as a program', () => {
  it('sends in TypeScript what the page sends, whatever the values are', () => {
    fc.assert(
      fc.property(callsOf, (call) => {
        expect(bySandbox(typescriptOf(sentOf(call)))).to.deep.equal(asSent(call));
      }),
      { numRuns: 200 },
    );
    for (const call of hostileCalls) expect(bySandbox(typescriptOf(sentOf(call)))).to.deep.equal(asSent(call));
  });

  it('sends with curl what the page sends, whatever the values are', () => {
    const calls = [...hostileCalls, ...fc.sample(callsOf, { numRuns: 100, seed: 7 })];
    expect(byShell(calls.map((call) => curlFor(origin, call)))).to.deep.equal(calls.map(asSent));
  });

  it('calls a tool over MCP with the same inputs and the same key', () => {
    for (const { body } of hostileCalls) {
      const call = mcpCall('a b', 'demo_echo', body as object, 'key-1');
      const [sent] = byShell([curlFor(origin, call)]);
      expect(sent?.url).to.equal(`${origin}/orbisets/a%20b/mcp`);
      expect((sent?.body as { params: object }).params).to.deep.equal({
        name: 'demo_echo',
        arguments: JSON.parse(JSON.stringify(body)),
        _meta: { 'agent-orb/idempotency-key': 'key-1' },
      });
    }
  });

  it('shows no character that a reader cannot see', () => {
    const text = plainJson({ '\u202eevil\u2028': '\u0000\u007f\u00a0\u200b\ufeff\u2066 é 😀' });
    expect(text).to.match(/^[\u0020-\u007e\u00a1-\u00ff\u{1f600}]+$/u);
    expect(JSON.parse(text)).to.deep.equal({ '\u202eevil\u2028': '\u0000\u007f\u00a0\u200b\ufeff\u2066 é 😀' });
  });
});

interface SentCall {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a program must send: the call, with the key of the environment. */
function asSent({ method, path, headers = {}, body }: Call): SentCall {
  const all = { Authorization: 'Bearer orb_test_1', 'Content-Type': 'application/json', ...headers };
  return { url: origin + path, method, headers: all, body: JSON.parse(JSON.stringify(body)) as unknown };
}

/** Runs a program with a `fetch` that notes what it is given. */
function bySandbox(program: string): SentCall {
  const sent: unknown[] = [];
  const answer = { status: 200, json: () => Promise.resolve({}) };
  const world = {
    fetch: (url: string, { signal: _, ...options }: { readonly body: string; readonly signal: unknown }) => {
      sent.push({ url, ...options, body: JSON.parse(options.body) as unknown });
      return Promise.resolve(answer);
    },
    process: { env: { ORB_KEY: 'orb_test_1' } },
    ...{ JSON, AbortSignal, console: { log: () => undefined } },
  };
  new Script(`(async () => {\n${program}\n})()`).runInContext(createContext(world));
  expect(sent).to.have.length(1);
  return structuredClone(sent[0]) as SentCall;
}

/** Runs commands in a shell whose `curl` prints what it is given. */
function byShell(commands: readonly string[]): readonly SentCall[] {
  const script = `curl() { printf '%s\\0' "$@"; printf 'end\\0'; }\n${commands.join('\n')}`;
  const env = { ORB_KEY: 'orb_test_1', PATH: process.env['PATH'] };
  const printed = execFileSync('sh', ['-c', script], { env, maxBuffer: 64 * 1024 * 1024 }).toString();
  return printed
    .split('\0end\0')
    .slice(0, -1)
    .map((one) => {
      const args = one.split('\0');
      const of = (name: string): readonly string[] => args.filter((_, at) => args[at - 1] === name);
      const headers = of('-H').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]);
      const url = args.find((arg, at) => !arg.startsWith('-') && !(args[at - 1] ?? '').startsWith('-')) ?? '';
      const body = JSON.parse(of('-d')[0] ?? 'null') as unknown;
      return { url, method: of('-X')[0], headers: Object.fromEntries(headers) as Record<string, string>, body };
    });
}
