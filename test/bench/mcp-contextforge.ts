// BENCH_CONTEXTFORGE=1 puts ContextForge beside the platform: PyPI's mcp-contextforge-gateway, in an environment of its
// own below dist/. Both pass calls on to the same tool of the official SDK on Koa.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { load, median, type Round } from './load.ts';
import { mcpHeaders, mcpMessage } from './mcp-call.ts';
import { requestBody } from './payload.ts';
import { startEcho, startGoverned, type Target } from './server.ts';
import { printTable, times } from './table.ts';

const requirement = 'mcp-contextforge-gateway==1.0.7.post20260921';
const environment = resolve(import.meta.dirname, '../../dist/contextforge');
const connections = 32;
const { inputs } = requestBody;

/** Prints calls of a tool of another server through the platform beside those through ContextForge. */
export async function besideContextForge(
  dir: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<void> {
  install();
  const upstream = await startEcho('the tool', 'stock-mcp.ts');
  const providers = { stock: { adapter: 'mcp/http', config: { url: `${upstream.url}/mcp`, private: true } } };
  const governed = await startGoverned({ settings: { providers } });
  const gateway = await startGateway(upstream);
  try {
    const imported = { write: true, trust_annotations: true };
    await ask(`${governed.url}/providers/stock/import`, imported, { authorization: `Bearer ${governed.key}` });
    const path = '/orbisets/default/mcp';
    const message = mcpMessage('stock_demo-echo', inputs);
    const ours = scriptOf(join(dir, 'passed.lua'), path, message, {
      ...mcpHeaders('stock_demo-echo'),
      Authorization: `Bearer ${governed.key}`,
    });
    const theirs = scriptOf(join(dir, 'contextforge.lua'), '/rpc', callOf('stock-demo-echo'), {});
    const results: { readonly ours: Round[]; readonly theirs: Round[] } = { ours: [], theirs: [] };
    await load(governed, ours, connections, 2);
    await load(gateway, theirs, connections, 2);
    for (let round = 0; round < rounds; round++) {
      results.ours.push(await load(governed, ours, connections, seconds));
      results.theirs.push(await load(gateway, theirs, connections, seconds));
    }
    print(results);
  } finally {
    await Promise.all([gateway.stop(), governed.stop(), upstream.stop()]);
  }
}

function print({ ours, theirs }: { readonly ours: readonly Round[]; readonly theirs: readonly Round[] }): void {
  const of = (all: readonly Round[], pick: (round: Round) => number): number => median(all.map(pick));
  const perSecond = (all: readonly Round[]): number => of(all, (round) => round.perSecond);
  const row = (name: string, all: readonly Round[]) =>
    [
      name,
      perSecond(all).toFixed(1),
      times(perSecond(all), perSecond(theirs)),
      of(all, (round) => round.cpuMicros).toFixed(0),
      of(all, (round) => round.p50).toFixed(1),
    ] as const;
  printTable(
    `A tool of another server, ${connections} connections`,
    ['per s', 'of ContextForge', 'CPU µs', 'p50 ms'],
    [row('through the platform, with its receipt', ours), row('through ContextForge', theirs)],
  );
}

function install(): void {
  if (existsSync(join(environment, 'bin/mcpgateway'))) return;
  execFileSync('python3', ['-m', 'venv', environment], { stdio: 'inherit' });
  execFileSync(join(environment, 'bin/pip'), ['install', '--quiet', requirement], { stdio: 'inherit' });
}

// Without keys, plugins and pages, its database in a file: what it does fastest by itself.
async function startGateway(upstream: Target): Promise<Target> {
  const home = mkdtempSync(join(tmpdir(), 'orb-contextforge-'));
  const port = await freePort();
  const secret = (): string => randomBytes(24).toString('hex');
  const off = ['AUTH_REQUIRED', 'MCP_REQUIRE_AUTH', 'MCPGATEWAY_UI_ENABLED', 'MCPGATEWAY_ADMIN_API_ENABLED'];
  const child = spawn(
    join(environment, 'bin/mcpgateway'),
    ['--host', '127.0.0.1', '--port', String(port), '--log-level', 'critical'],
    {
      cwd: home,
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        ...{ DATABASE_URL: `sqlite:///${join(home, 'mcp.db')}`, CACHE_TYPE: 'memory', LOG_LEVEL: 'CRITICAL' },
        ...{ JWT_SECRET_KEY: secret(), AUTH_ENCRYPTION_SECRET: secret(), ALLOW_UNAUTHENTICATED_ADMIN: 'true' },
        ...{ SSRF_PROTECTION_ENABLED: 'false', PLUGINS_ENABLED: 'false', TOOL_RATE_LIMIT: '100000000' },
        ...Object.fromEntries(off.map((name) => [name, 'false'])),
      },
    },
  );
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await ended(child);
    rmSync(home, { recursive: true, force: true });
  };
  await listening(url, child);
  await ask(`${url}/gateways`, { name: 'stock', url: `${upstream.url}/mcp`, transport: 'STREAMABLEHTTP' });
  const answer = await ask(`${url}/rpc`, callOf('stock-demo-echo'));
  if (!answer.includes('"isError":false')) throw new Error(`ContextForge does not call the tool: ${answer}`);
  return { name: 'ContextForge', url, key: 'none', pid: child.pid ?? 0, stop };
}

function callOf(name: string): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: inputs } };
}

async function ask(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text;
}

// Its first start makes the tables.
async function listening(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + 120_000;
  while (performance.now() < until && child.exitCode === null) {
    if (await fetch(`${url}/health`).then(({ ok }) => ok, never)) return;
    await pause(250);
  }
  throw new Error('ContextForge did not start');
}

const never = (): boolean => false;

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolved) => {
    if (child.exitCode !== null) return void resolved();
    child.once('exit', () => resolved());
    child.kill('SIGTERM');
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolved) => server.listen(0, '127.0.0.1', resolved));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolved) => server.close(() => resolved()));
  return port;
}

function scriptOf(path: string, to: string, body: object, headers: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(body).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const all = { ...headers, 'Content-Type': 'application/json' };
  const lines = Object.entries(all).map(([name, value]) => `wrk.headers['${name}'] = '${value}'`);
  writeFileSync(path, [`wrk.method = 'POST'`, `wrk.path = '${to}'`, `wrk.body = '${text}'`, ...lines, ''].join('\n'));
  return path;
}
