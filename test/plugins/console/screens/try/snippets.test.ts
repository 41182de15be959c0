import { execFileSync } from 'node:child_process';
import { createContext, Script } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { curlFor, type Call } from '../../../../../plugins/console/app/frame/api-call.ts';
import { plainJson } from '../../../../../plugins/console/app/frame/plain-json.ts';
import { mcpCall, typescriptOf, type Asked } from '../../../../../plugins/console/app/screens/try/snippets.ts';
import { callsOf, givenOf, hostileCalls, hostileRuns, origin, runsOf } from './hostile-calls.ts';

describe('a call as a program', () => {
  it('gives the client in TypeScript what the page sends, whatever the values are', () => {
    const fits = (asked: Asked): void => {
      const { options, ...given } = givenOf(asked);
      expect(bySandbox(typescriptOf(asked))).to.deep.equal({ ...given, options: { ...options, timeout: 10_000 } });
    };
    fc.assert(fc.property(runsOf, fits), { numRuns: 200 });
    hostileRuns.forEach(fits);
    const [asked] = hostileRuns;
    if (asked !== undefined) expect(typescriptOf({ ...asked, later: true })).to.include('await orb.enqueue(');
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

/** Runs a program with a client that notes what it is given. */
function bySandbox(program: string): unknown {
  const given: unknown[] = [];
  class Orb {
    readonly url: string;
    constructor(url: string, key: string, { pin }: { readonly pin: string }) {
      expect([key, pin]).to.deep.equal(['orb_test_1', 'tofu']);
      this.url = url;
    }
    run(orb_id: string, inputs: object, options: object): void {
      given.push({ url: this.url, orb_id, inputs, options });
    }
  }
  const world = { Orb, process: { env: { ORB_KEY: 'orb_test_1' } }, console: { log: () => undefined } };
  const [first = '', ...rest] = program.split('\n');
  expect(first).to.equal('import { Orb } from "agent-orb";');
  new Script(`(async () => {\n${rest.join('\n')}\n})()`).runInContext(createContext(world));
  expect(given).to.have.length(1);
  return structuredClone(given[0]);
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
