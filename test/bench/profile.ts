import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, writeScript } from './load.ts';
import { startGoverned } from './server.ts';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Prints where the CPU of a governed run goes at 256 connections. */
export async function profileRun(dir: string, seconds: number): Promise<void> {
  const target = await startGoverned({ profileDir: dir });
  const script = join(dir, 'profile.lua');
  writeScript(script, target.key);
  // So few that an empty cache does not make too many questions wait.
  await load(target, script, 64, 1);
  await load(target, script, 256, seconds);
  await target.stop();
  for (const { thread, lines } of topFunctions(dir, 15))
    console.log(`\n${thread}, time of its own\n${lines.join('\n')}`);
}

/** Lists, per thread, the functions with the most time of their own, in percent of the time not idle. */
export function topFunctions(
  dir: string,
  most: number,
): readonly { readonly thread: string; readonly lines: readonly string[] }[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.cpuprofile'))
    .map((file) => topOf(JSON.parse(readFileSync(join(dir, file), 'utf8')) as CpuProfile, most))
    .filter(({ lines }) => lines.length > 0);
}

function topOf({ nodes, samples, timeDeltas }: CpuProfile, most: number): { thread: string; lines: string[] } {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const name = names.get(id) ?? '?';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  });
  times.delete('(idle)');
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const lines = [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
  return { thread: threadOf([...times.keys()]), lines: total < 200_000 ? [] : lines };
}

// Threads leave their profiles without a name: what ran there tells.
function threadOf(names: readonly string[]): string {
  const ran = (file: string): boolean => names.some((name) => name.includes(file));
  if (ran('store/sqlite/committer') || ran('store/threads/writer.ts')) return 'writer thread';
  if (ran('kernel/http/')) return 'main thread';
  return ran('receipts/audit/') ? 'auditor thread' : 'another thread';
}

function nameOf({ functionName, url }: { functionName: string; url: string }): string {
  const place = url.replace(/^file:\/\/.*?\/(kernel|plugins|providers|node_modules)\//, '$1/');
  return `${functionName || '(anonymous)'} ${place}`.trim();
}
