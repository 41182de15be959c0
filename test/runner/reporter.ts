import { relative } from 'node:path';
import Mocha, { type MochaOptions, type Runner } from 'mocha';
import { packageDir } from '../helpers/folder.ts';
import { type Failure, type Results, writeResults } from './results.ts';

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;
const everyTests = 500;

/**
 * Reports a run of many files: a line for each failure at once, one for each 500 tests, and the results as a file
 * (option `to`), from which `test/run.ts` makes the report.
 */
export default class Report {
  constructor(runner: Runner, options: MochaOptions) {
    const to = (options.reporterOptions as { readonly to: string }).to;
    const failures: Failure[] = [];
    const pending: string[] = [];
    let passed = 0;
    runner.on(EVENT_TEST_PASS, () => {
      passed += 1;
      if (passed % everyTests === 0) console.log(`${passed} passed, ${failures.length} failed`);
    });
    runner.on(EVENT_TEST_PENDING, (test) => pending.push(test.fullTitle()));
    runner.on(EVENT_TEST_FAIL, (test, error: Error) => {
      const file = relative(packageDir, test.file ?? '');
      failures.push({ file, title: test.fullTitle(), error: error.stack ?? error.message });
      console.log(`FAILED ${test.fullTitle()} (${file})`);
    });
    runner.once(EVENT_RUN_END, () => writeResults(to, { passed, failures, pending } satisfies Results));
  }
}
