import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { reachedBy } from './imports.ts';

/** What a file of tests starts: the most expensive thing that it reaches. */
export type Kind = 'database' | 'browser' | 'process' | 'platform' | 'function';

/**
 * `fast`: `npm test` runs it. `full`: only `npm run test:all` does, as its name `*.full.test.ts` says. `soak`: only
 * `npm run soak` does (`*.soak.test.ts`).
 */
export type Tier = 'fast' | 'full' | 'soak';

/** The most that a file may cost, in seconds of a processor; beyond it the file says why (see `slowReason`). */
export const budgets: Readonly<Record<Tier, number>> = { fast: 10, full: 40, soak: Infinity };

const starters: readonly (readonly [Kind, RegExp])[] = [
  ['database', /^test\/helpers\/(?:postgres|cluster|use-postgres)\.ts$/],
  ['browser', /^test\/helpers\/browser\.ts$/],
  ['process', /^test\/helpers\/served\.ts$|^test\/guides\/terminal\.ts$/],
  ['platform', /^test\/helpers\/platform\.ts$/],
];
const spawning = /from 'node:child_process'/;

/** Lists the files of tests, paths below the checkout; those of the soak when asked for. */
export function testFiles(tiers: readonly Tier[] = ['fast', 'full']): readonly string[] {
  return globSync('test/**/*.test.ts', { cwd: packageDir })
    .filter((file) => tiers.includes(tierOf(file)))
    .sort();
}

/** Says in which tier a file is. */
export function tierOf(file: string): Tier {
  return (['full', 'soak'] as const).find((tier) => file.endsWith(`.${tier}.test.ts`)) ?? 'fast';
}

/** Says what a file starts, by the helpers that it reaches. */
export function kindOf(file: string): Kind {
  const reached = [...reachedBy(file, 'test/')];
  const kind = starters.find(([, helper]) => reached.some((one) => helper.test(one)))?.[0] ?? 'function';
  if (kind !== 'function' && kind !== 'platform') return kind;
  return spawning.test(readFileSync(join(packageDir, file), 'utf8')) ? 'process' : kind;
}

/** Gives the reason that a slow file states: a line `// Slow: …` in it. */
export function slowReason(file: string): string | undefined {
  return /^\/\/ Slow: (.+)$/m.exec(readFileSync(join(packageDir, file), 'utf8'))?.[1];
}
