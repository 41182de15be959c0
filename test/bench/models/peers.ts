import { join } from 'node:path';
import { load, median } from '../load.ts';
import { meanOf } from '../summary.ts';
import { printTable, type Row } from '../table.ts';
import { readServingCpu } from '../thread-cpu.ts';
import type { Target } from '../server.ts';
import { startBed, writeCompletions } from './bed.ts';
import { startLiteLlm, startPortkey, treeMicros, type Gateway } from './gateways.ts';

const connections = 32;

interface Side extends Pick<Gateway, 'name' | 'streams' | 'headers' | 'target'> {
  readonly cpu: (target: Target) => number;
}

/** What a gateway took per call, turn by turn. */
interface Found {
  readonly cpu: number[];
  readonly perSecond: number[];
  errors: number;
}

/** Prints chat completions through the platform beside those through other gateways, before the same double. */
export async function besideGateways(
  dir: string,
  { turns, seconds }: { readonly turns: number; readonly seconds: number },
): Promise<void> {
  const { double, governed, stop } = await startBed();
  const cpu = ({ pid }: Target): number => readServingCpu(pid);
  const sides: Side[] = [{ name: 'the platform, with receipts', streams: true, headers: {}, target: governed, cpu }];
  try {
    for (const start of [startLiteLlm, startNativeLiteLlm, startPortkey])
      try {
        sides.push({ ...(await start(double)), cpu: ({ pid }) => treeMicros(pid) });
      } catch (error) {
        console.log(`  left out: ${error instanceof Error ? error.message : String(error)}`);
      }
    for (const stream of [false, true])
      await compared(
        dir,
        sides.filter(({ streams }) => streams || !stream),
        { stream, turns, seconds },
      );
  } finally {
    for (const { target } of sides.slice(1)) await target.stop();
    await stop();
  }
}

const startNativeLiteLlm = (double: Target): Promise<Gateway> => startLiteLlm(double, { rust: true });

interface Asked {
  readonly stream: boolean;
  readonly turns: number;
  readonly seconds: number;
}

async function compared(dir: string, sides: readonly Side[], { stream, turns, seconds }: Asked): Promise<void> {
  const scripts = sides.map(({ headers, target }, at) => {
    const path = join(dir, `${at}-${stream}.lua`);
    writeCompletions(path, target.key, { stream }, headers);
    return path;
  });
  const found = sides.map((): Found => ({ cpu: [], perSecond: [], errors: 0 }));
  for (let turn = -1; turn < turns; turn += 1)
    for (const [at, { cpu, target }] of sides.entries()) {
      const before = cpu(target);
      // The first turn warms up: what V8 compiles in it is no part of a call.
      const round = await load(target, scripts[at] ?? '', connections, turn < 0 ? seconds * 2 : seconds);
      if (turn < 0) continue;
      const into = found[at];
      into?.cpu.push((cpu(target) - before) / Math.max(1, round.requests));
      into?.perSecond.push(round.perSecond);
      if (into !== undefined) into.errors += round.errors;
    }
  const own = found[0]?.cpu ?? [];
  const rows = sides.map(({ name }, at): Row => {
    const { cpu = [], perSecond = [], errors = 0 } = found[at] ?? {};
    const ratio = meanOf(cpu.map((one, turn) => one / (own[turn] ?? NaN)));
    return [name, median(cpu).toFixed(0), ratio, median(perSecond).toFixed(0), String(errors)];
  });
  const title = `${stream ? 'Streams of 50 parts' : 'Chat completions'}, ${connections} connections`;
  printTable(title, ['CPU µs', 'of the platform', 'per s', 'errors'], rows);
}
