import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { besideContextForge } from './mcp-contextforge.ts';
import { load, median, scriptOf, type Round } from './load.ts';
import { mcpHeaders, mcpMessage } from './mcp-call.ts';
import { requestBody } from './payload.ts';
import { startEcho, startGoverned, type Target } from './server.ts';
import { percent, printTable, times, type Row } from './table.ts';
import { upstreamCosts } from './mcp-upstream.ts';

const connections = 32;

interface Side {
  readonly name: string;
  readonly target: Target;
  readonly script: string;
}

/** Prints a governed call of a tool beside the official SDK's bare one, and beside a run by the HTTP API. */
export async function mcpCosts(
  dir: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const stock = await startEcho('official SDK on Koa', 'stock-mcp.ts');
  const governed = await startGoverned();
  try {
    await sides(dir, { seconds, rounds }, stock, governed);
  } finally {
    await stock.stop();
    await governed.stop();
  }
  await upstreamCosts(seconds);
  if (process.env['BENCH_CONTEXTFORGE'] === '1') await besideContextForge(dir, { seconds, rounds });
}

async function sides(
  dir: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
  stock: Target,
  governed: Target,
): Promise<void> {
  const all: readonly Side[] = [
    { name: 'official SDK, bare tools/call', target: stock, script: toolScript(join(dir, 'stock.lua'), 'none') },
    { name: 'governed tools/call', target: governed, script: toolScript(join(dir, 'tool.lua'), governed.key) },
    { name: 'governed run by HTTP', target: governed, script: runScript(join(dir, 'run.lua'), governed.key) },
  ];
  const results = new Map<string, Round[]>(all.map(({ name }) => [name, []]));
  for (const { script, target } of all) await load(target, script, connections, 2);
  for (let round = 0; round < rounds; round++)
    for (const { name, script, target } of all)
      results.get(name)?.push(await load(target, script, connections, seconds));
  const of = (name: string, pick: (round: Round) => number): number => median((results.get(name) ?? []).map(pick));
  const [bare, , run] = all.map(({ name }) => name);
  const rows = all.map(({ name }): Row => {
    const [perSecond, cpu] = [of(name, (round) => round.perSecond), of(name, (round) => round.cpuMicros)];
    return [
      name,
      perSecond.toFixed(0),
      percent(
        perSecond,
        of(bare ?? '', (round) => round.perSecond),
      ),
      cpu.toFixed(0),
      times(
        cpu,
        of(run ?? '', (round) => round.cpuMicros),
      ),
      of(name, (round) => round.p50).toFixed(2),
      String(of(name, (round) => round.errors)),
    ];
  });
  const heads = ['per s', 'of the SDK', 'CPU µs', 'of a run', 'p50 ms', 'errors'];
  printTable(`Calls of a tool, ${connections} connections`, heads, rows);
}

function runScript(path: string, key: string): string {
  writeFileSync(path, `${scriptOf(requestBody, key)}\n`);
  return path;
}

// The load goes to the path of a run; the script names the one of the tools.
function toolScript(path: string, key: string): string {
  runScript(path, key);
  const { orb_id: _, inputs } = requestBody;
  const text = JSON.stringify(mcpMessage('demo_echo', inputs)).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const headers = Object.entries(mcpHeaders('demo_echo')).map(([name, value]) => `wrk.headers['${name}'] = '${value}'`);
  const more = [`wrk.path = '/orbisets/default/mcp'`, `wrk.body = '${text}'`, ...headers];
  writeFileSync(path, `${readFileSync(path, 'utf8')}${more.join('\n')}\n`);
  return path;
}
