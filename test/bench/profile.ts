import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
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
  const writer = [...times.keys()].some((name) => name.includes('store/committer') || name.includes('store/writer.ts'));
  return { thread: writer ? 'writer thread' : 'main thread', lines: total < 200_000 ? [] : lines };
}

function nameOf({ functionName, url }: { functionName: string; url: string }): string {
  const place = url.replace(/^file:\/\/.*?\/(kernel|plugins|providers|node_modules)\//, '$1/');
  return `${functionName || '(anonymous)'} ${place}`.trim();
}
