import type { FileCost } from './durations.ts';
import { kindOf, tierOf, type Kind, type Tier } from './files.ts';

/** Files that run some at a time, beside those of other lanes. */
export interface Lane {
  readonly files: readonly string[];
  readonly jobs: number;
}

/** Estimates how long a file runs, ms. */
export type Cost = (file: string) => number;

// Seconds per file, as measured on two cores.
const usual: Readonly<Record<Exclude<Tier, 'soak'>, Readonly<Record<Kind, number>>>> = {
  fast: { database: 6, browser: 11, process: 6.2, platform: 3.4, function: 0.6 },
  full: { database: 17, browser: 13, process: 8, platform: 10, function: 10 },
};

/** Estimates by the last run of a file, or else by what it starts. */
export function costOf(last: ReadonlyMap<string, FileCost>): Cost {
  return (file) => {
    const tier = tierOf(file);
    return last.get(file)?.wall_ms ?? usual[tier === 'soak' ? 'full' : tier][kindOf(file)] * 1000;
  };
}

/**
 * Deals files to two lanes that take about the same time. One of them has all that start a database: beside more than
 * another one, the nodes of a cluster would miss their deadlines. A lane without files is left out.
 */
export function lanesOf(files: readonly string[], jobs: number, cost: Cost): readonly Lane[] {
  const costs = new Map(files.map((file) => [file, cost(file)]));
  const of = (file: string): number => costs.get(file) ?? 0;
  const longestFirst = (list: readonly string[]): string[] => [...list].sort((one, other) => of(other) - of(one));
  const total = (list: readonly string[]): number => list.reduce((sum, file) => sum + of(file), 0);
  const withDatabase = files.filter((file) => kindOf(file) === 'database');
  const others = longestFirst(files.filter((file) => kindOf(file) !== 'database'));
  if (withDatabase.length === 0 || jobs < 2) return [{ files: longestFirst(files), jobs }];
  const lanes = [Math.ceil(jobs / 2), Math.floor(jobs / 2)].map((own) => ({ jobs: own, files: [] as string[] }));
  const [first, second] = lanes as [(typeof lanes)[0], (typeof lanes)[0]];
  second.files.push(...withDatabase);
  for (const file of others) {
    const emptier = total(first.files) / first.jobs <= total(second.files) / second.jobs ? first : second;
    emptier.files.push(file);
  }
  // One that starts last would run alone at the end. Without a file, mocha would run what it finds by itself.
  return lanes.filter((lane) => lane.files.length > 0).map((lane) => ({ ...lane, files: longestFirst(lane.files) }));
}
