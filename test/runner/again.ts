import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageDir } from '../../kernel/boot/config.ts';
import { reportFolder } from './report.ts';
import { readResults, writeResults } from './results.ts';

/*
 * Runs the files that failed in earlier runs once more, each alone: `node test/runner/again.ts fast rest`. A file that
 * passes now is named UNSTABLE, for a person to look at, and its tests count as passed. More than three failed files, or
 * a hook that failed outside of a file, stay failures: that is no accident of a busy machine.
 */
const most = 3;
const runs = process.argv.slice(2).map((name) => {
  const path = join(reportFolder, `${name}.json`);
  return { path, results: readResults(path) };
});
const files = [...new Set(runs.flatMap(({ results }) => results?.failures ?? []).map(({ file }) => file))];
const isAccident = files.length <= most && files.every((file) => file.endsWith('.test.ts'));
const passing = new Set(isAccident ? files.filter(passes) : []);
for (const { path, results } of runs) {
  if (results === undefined) continue;
  const passed = results.failures.filter(({ file }) => passing.has(file));
  for (const { error, file, title } of passed) console.log(`UNSTABLE ${title} (${file}): ${error}`);
  const failures = results.failures.filter(({ file }) => !passing.has(file));
  writeResults(path, { ...results, passed: results.passed + passed.length, failures });
}

function passes(file: string): boolean {
  const words = [join(packageDir, 'test/run.ts'), file, '--forbid-pending'];
  return spawnSync(process.execPath, words, { cwd: packageDir, stdio: 'inherit' }).status === 0;
}
