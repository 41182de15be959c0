import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { reportFolder } from './report.ts';
import { readResults, writeResults } from './results.ts';
import { afterSecondTry, filesToTry } from './second-try.ts';

/*
 * Runs the files that failed in earlier runs again, each alone, at most twice: `node test/runner/again.ts fast rest`. A
 * file that passes now is named UNSTABLE, for a person to look at, and its tests count as passed. Exit 1 when one failed again,
 * or a run left no results.
 */
const names = process.argv.slice(2);
const runs = names.flatMap((name) => {
  const path = join(reportFolder, `${name}.json`);
  const results = readResults(path);
  return results === undefined ? [] : [{ path, results }];
});
const passing = new Set(filesToTry(runs.map(({ results }) => results)).filter((file) => passes(file) || passes(file)));
let failed = runs.length < names.length;
for (const { path, results } of runs) {
  for (const { error, file, title } of results.failures)
    if (passing.has(file)) console.log(`UNSTABLE ${title} (${file}): ${error}`);
  const after = afterSecondTry(results, passing);
  failed ||= after.failures.length > 0;
  writeResults(path, after);
}
process.exitCode = failed ? 1 : 0;

function passes(file: string): boolean {
  const words = [join(packageDir, 'test/run.ts'), file, '--forbid-pending'];
  return spawnSync(process.execPath, words, { cwd: packageDir, stdio: 'inherit' }).status === 0;
}
