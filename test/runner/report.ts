import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { tools, type ToolName } from '../helpers/needs.ts';
import type { FileCost } from './durations.ts';
import { budgets, slowReason, tierOf } from './files.ts';
import type { Results } from './results.ts';

/** The folder of what the last runs left: results and durations. */
export const reportFolder: string = join(packageDir, 'dist/test-report');
const durations = join(reportFolder, 'durations.json');
const shownFiles = 40;

/** What the processes of a run recorded. */
export interface Record {
  readonly costs: readonly FileCost[];
  readonly missing: readonly ToolName[];
}

/** Reads the record of a run. */
export function readRecord(path: string): Record {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  const entries = lines.map((line) => JSON.parse(line) as FileCost | { readonly missing: ToolName });
  return {
    costs: entries.flatMap((entry) => ('file' in entry ? [entry] : [])),
    missing: [...new Set(entries.flatMap((entry) => ('missing' in entry ? [entry.missing] : [])))].sort(),
  };
}

/** Reads what each file took in the last run that it was part of. */
export function lastCosts(): ReadonlyMap<string, FileCost> {
  const list = existsSync(durations) ? (JSON.parse(readFileSync(durations, 'utf8')) as readonly FileCost[]) : [];
  return new Map(list.map((cost) => [cost.file, cost]));
}

/** Keeps what the files of a run took, for the order of the next one. */
export function keepCosts(costs: readonly FileCost[]): void {
  const all = new Map([...lastCosts(), ...costs.map((cost) => [cost.file, cost] as const)]);
  const kept = [...all.values()].filter(({ file }) => existsSync(join(packageDir, file)));
  writeFileSync(
    durations,
    `${JSON.stringify(
      kept.sort((one, other) => other.wall_ms - one.wall_ms),
      null,
      1,
    )}\n`,
  );
}

/** Makes the lines of a run's report: failures in full, the slowest files, what was left out, and the counts last. */
export function reportOf({ passed, failures, pending }: Results, { costs, missing }: Record): readonly string[] {
  return [
    ...failures.map(({ file, title, error }) => `\nFAILED ${title} (${file})\n${error}`),
    ...slowest(costs),
    ...leftOut(pending.length, missing),
    `${passed} passed, ${failures.length} failed`,
  ];
}

function slowest(costs: readonly FileCost[]): readonly string[] {
  if (costs.length < shownFiles) return [];
  const cpu = costs.reduce((sum, { cpu_ms }) => sum + cpu_ms, 0);
  const sorted = [...costs].sort((one, other) => other.wall_ms - one.wall_ms).slice(0, shownFiles);
  return [
    '',
    `The ${shownFiles} slowest files of ${costs.length}, which took ${seconds(cpu).trim()} seconds of a processor: seconds, seconds of a processor, file`,
    ...sorted.map((cost) => `${seconds(cost.wall_ms)} ${seconds(cost.cpu_ms)}  ${cost.file}${overBudget(cost)}`),
  ];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).padStart(6);
}

function overBudget({ file, cpu_ms }: FileCost): string {
  const budget = budgets[tierOf(file)];
  if (cpu_ms <= budget * 1000) return '';
  return `  (${slowReason(file) ?? `over ${budget} s of a processor: shorten it, or say why in a line "// Slow: …"`})`;
}

function leftOut(count: number, missing: readonly ToolName[]): readonly string[] {
  if (count === 0) return [];
  const names = missing.map((name) => tools[name].name).join(', ');
  const ways = [...new Set(missing.map((name) => tools[name].install))];
  const packages = ways.filter((way) => way.startsWith('apt-get install ')).map((way) => way.split(' ')[2]);
  const others = ways.filter((way) => !way.startsWith('apt-get install '));
  const install = [...(packages.length === 0 ? [] : [`apt-get install ${packages.join(' ')}`]), ...others];
  return ['', `Left out: ${count} tests, for want of ${names}. To run them: ${install.join('; ')}`];
}
