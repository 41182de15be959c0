// node test/soak/door/main.ts: what a weak key, and a stranger with 64 addresses, cost the callers of a server that has one
// core, and what the same attack costs those of a static server. DOOR_SECONDS (60) of attack each, DOOR_WAITS (9,000)
// connections, DOOR_PAGES (400) page requests a second; DOOR_ONLY=key|stranger. Needs Linux, two cores and `ulimit -n 20000`. Exit
// 0 when all held, 1 when not.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { v8Flags } from '../../../plugins/kit/binary/flags.ts';
import { send } from '../../helpers/http.ts';
import { createServed } from '../../helpers/served.ts';
import { drawTable, type Row } from '../table.ts';
import type { Attack, Report } from './attacker.ts';
import { measure, type Servers, type Spell } from './others.ts';

const seconds = Number(process.env['DOOR_SECONDS'] ?? 60);
const waits = Number(process.env['DOOR_WAITS'] ?? 9000);
const pages = Number(process.env['DOOR_PAGES'] ?? 400);
const only = process.env['DOOR_ONLY'];
const [ofServer, ofCallers] = [
  ['taskset', '-c', '0'],
  ['taskset', '-c', '1'],
];

/** Callers before, during and after an attack, and what the attacker did. `calm`: at half of the rate before it. */
interface Course {
  readonly before: Spell;
  readonly during: Spell;
  readonly calm: Spell;
  readonly after: Spell;
  readonly report: Report;
}

async function course(servers: Servers, attack: Attack): Promise<Course> {
  const spell = Math.max(2, seconds / 3);
  await measure(servers, 3);
  const before = await measure(servers, spell);
  const attacker = launch(ofCallers, 'attacker.ts', JSON.stringify(attack));
  await delay(2000);
  const during = await measure(servers, seconds / 2);
  const calm = await measure(servers, seconds / 2, Math.min(500, before.rate / 2));
  attacker.stdin?.end();
  const report = JSON.parse(await text(attacker.stdout ?? process.stdin)) as Report;
  await delay(3000);
  return { before, during, calm, after: await measure(servers, spell), report };
}

function launch(pinned: readonly string[], file: string, ...args: readonly string[]): ChildProcess {
  const [command = '', ...words] = [...pinned, process.execPath, join(import.meta.dirname, file), ...args];
  return spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Attacks a platform, beside which a static server has the same core. */
async function ofPlatform(name: 'key' | 'stranger'): Promise<Course> {
  const served = createServed({}, { within: ofServer, flags: v8Flags });
  try {
    const { url, key } = await served.start();
    const made = await send(url, '/keys', { key, json: { name: 'weak', scopes: ['orbs:execute:demo.*'] } });
    const weak = String(made.json['key']);
    const run_at = new Date(Date.now() + 86_400_000).toISOString();
    const later = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'later' }, run_at };
    const headers = { prefer: 'respond-async' };
    const queued = await send(url, '/orbisets/default/execute', { key: weak, json: later, headers });
    const runId = String(queued.json['run_id']);
    const attack = { url, runId, waits, pages, ...(name === 'key' ? { key: weak } : {}) };
    return await withStatic((besideUrl) => course({ url, key, besideUrl }, attack));
  } finally {
    await served.remove();
  }
}

async function ofStatic(name: 'key' | 'stranger'): Promise<Course> {
  const attack = { runId: 'run_0', waits, pages, ...(name === 'key' ? { key: 'weak' } : {}) };
  return await withStatic((url) => course({ url, key: 'none' }, { ...attack, url }));
}

async function withStatic(work: (url: string) => Promise<Course>): Promise<Course> {
  const server = launch(ofServer, 'static.ts');
  try {
    const [line] = (await once(server.stdout ?? process.stdin, 'data')) as [Buffer];
    return await work(line.toString().trim());
  } finally {
    server.stdin?.end();
  }
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Infinity;
const times = (sorted: readonly number[]): string =>
  [0.5, 0.9, 0.99, 1].map((part) => share(sorted, part).toFixed(1)).join(', ');

function rowsOf(name: string, platform: Course, plain: Course): Row[] {
  const kept = ({ before, during, after }: Course): number => during.rate / ((before.rate + after.rate) / 2);
  const rates = ({ before, during, after }: Course): string =>
    [before, during, after].map(({ rate }) => rate.toFixed(0)).join(', ');
  const { health, beside } = platform.calm;
  const ratio = share(health, 0.99) / share(beside, 0.99);
  const failed = [platform.before, platform.during, platform.calm, platform.after].flatMap((spell) => spell.failed);
  const of = (what: string, figure: string, held?: boolean): Row => ({
    what: `${name}: ${what}`,
    figure,
    ...(held === undefined ? {} : { held }),
  });
  return [
    of('runs a second before, during, after', rates(platform)),
    of('share of the rate kept (at least 70 %)', `${(kept(platform) * 100).toFixed(0)} %`, kept(platform) >= 0.7),
    of('static: requests a second before, during, after', `${rates(plain)} (${(kept(plain) * 100).toFixed(0)} %)`),
    of('/health p50, p90, p99, max in peace, ms', times(platform.before.health)),
    of('/health under attack, callers as fast as they can, ms', times(platform.during.health)),
    of('/health under attack, callers at half of their rate, ms', times(platform.calm.health)),
    of('static: /health in peace, ms', times(plain.before.health)),
    of('static: /health under attack, callers as fast as they can, ms', times(plain.during.health)),
    of(
      'static: /health under attack, callers at half of their rate (500 a second at most), ms',
      times(plain.calm.health),
    ),
    of('a static server on the same core beside it, at half of their rate, ms', times(beside)),
    of('/health p99 by that of the static server beside it (at most 2)', ratio.toFixed(2), ratio <= 2),
    of(
      '/health p99 by that of a static server under the same attack',
      (share(health, 0.99) / share(plain.calm.health, 0.99)).toFixed(2),
    ),
    of(
      'requests of others that failed',
      `${failed.length} ${[...new Set(failed)].slice(0, 3).join('; ')}`,
      failed.length === 0,
    ),
    ...[...attackRows('platform', platform.report), ...attackRows('static', plain.report)].map((row) => ({
      ...row,
      what: `${name}: ${row.what}`,
    })),
  ];
}

// An attacker that is behind its rate proves nothing.
function attackRows(side: string, { sent, answered, open, withheld }: Report): Row[] {
  const list = Object.entries(sent).map(([kind, count]) => {
    const statuses = Object.entries(answered[kind as keyof typeof sent]);
    return `${kind} ${count} (${statuses.map((pair) => pair.join(': ')).join(', ')})`;
  });
  const reached = sent.pages / (pages * seconds);
  return [
    { what: `${side}: attacker sent`, figure: `${list.join('; ')}; open ${open}; withheld ${withheld}` },
    {
      what: `${side}: pages sent, by the rate of the attacker (at least 95 %)`,
      figure: `${(reached * 100).toFixed(0)} %`,
      held: reached >= 0.95,
    },
  ];
}

spawnSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)]);
const rows: Row[] = [];
for (const name of ['key', 'stranger'] as const)
  if (only === undefined || only === name) {
    const mine = rowsOf(name === 'key' ? 'weak key' : 'stranger', await ofPlatform(name), await ofStatic(name));
    rows.push(...mine);
    console.log(drawTable(mine));
  }
process.exitCode = rows.every(({ held = true }) => held) ? 0 : 1;
