// By hand, in a clean checkout with a recording (`npm run test:all -- --record`):
//   node test/mutants/main.ts --seed=41 --count=40 [--list]
// Breaks one rule of the program at a time and runs `npm test -- --changed`, then `npm test`, then `npm run test:rest`,
// until a test fails. Goes on where it was stopped; the results are in dist/mutants-SEED.jsonl.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageDir } from '../helpers/folder.ts';
import { draw, type Mutant } from './draw.ts';

/** What noticed a mutant first; `nothing`: it survived all. */
type Noticed = 'changed' | 'fast' | 'rest' | 'nothing';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '41' },
    count: { type: 'string', default: '40' },
    list: { type: 'boolean', default: false },
    stages: { type: 'string', default: 'changed,fast,rest' },
  },
});
const seed = Number(values.seed);
const results = join(packageDir, `dist/mutants-${seed}.jsonl`);
const options: Readonly<Record<string, readonly string[]>> = { changed: ['--changed'], fast: [], rest: ['--rest'] };
const incremental = ['-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', 'dist/mutants.tsbuildinfo'];
const stages = values.stages.split(',') as readonly Exclude<Noticed, 'nothing'>[];

mkdirSync(join(packageDir, 'dist'), { recursive: true });
const chosen = compiling(Number(values.count));
console.log(`seed ${seed}`);
for (const [place, mutant] of chosen.entries()) console.log(`${place + 1}. ${shown(mutant)}`);
if (!values.list) for (const [place, mutant] of chosen.entries()) judge(place + 1, mutant);

function judge(number: number, mutant: Mutant): void {
  const known = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : [];
  if (known.some((line) => line.startsWith(`{"number":${number},`))) return;
  const noticed = broken(mutant, () => stages.find((stage) => !passes(options[stage] ?? [])) ?? 'nothing');
  appendFileSync(results, `${JSON.stringify({ number, noticed, mutant: shown(mutant) })}\n`);
  console.log(`${number}. ${noticed}: ${shown(mutant)}`);
}

// A mutant that the compiler refuses is none: another one is drawn in its place.
function compiling(count: number): readonly Mutant[] {
  const kept = join(packageDir, `dist/mutants-${seed}.json`);
  if (existsSync(kept)) return (JSON.parse(readFileSync(kept, 'utf8')) as readonly Mutant[]).slice(0, count);
  const found: Mutant[] = [];
  for (const mutant of draw(seed)) {
    if (found.length === count) break;
    const types = () => spawnSync('npx', ['tsc', ...incremental], { cwd: packageDir }).status === 0;
    if (broken(mutant, types)) found.push(mutant);
  }
  writeFileSync(kept, JSON.stringify(found));
  return found;
}

function broken<T>({ file, start, end, text }: Mutant, run: () => T): T {
  const path = join(packageDir, file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.slice(0, start) + text + whole.slice(end));
  try {
    return run();
  } finally {
    writeFileSync(path, whole);
  }
}

function passes(words: readonly string[]): boolean {
  const args = [join(packageDir, 'test/run.ts'), '--bail', ...words];
  return spawnSync(process.execPath, args, { cwd: packageDir, stdio: 'ignore' }).status === 0;
}

function shown({ file, line, operator, start, end, text }: Mutant): string {
  const was = readFileSync(join(packageDir, file), 'utf8').slice(start, end);
  const one = (part: string): string => part.replace(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line} ${operator}: ${one(was)} → ${one(text)}`;
}
