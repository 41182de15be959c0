// Adds up the results of several runs, whose names are the arguments: `node test/runner/total.mjs fast rest`. Plain
// JavaScript: it runs on every Node. Its last line counts each test that was left out as failed.
import { readFileSync } from 'node:fs';

let [passed, failed] = [0, 0];
for (const name of process.argv.slice(2)) {
  try {
    const path = new URL(`../../dist/test-report/${name}.json`, import.meta.url);
    const { passed: ran, failures, pending } = JSON.parse(readFileSync(path, 'utf8'));
    for (const title of pending) console.log(`LEFT OUT ${title}`);
    for (const { title, error } of failures) console.log(`FAILED ${title}: ${error}`);
    passed += ran;
    failed += failures.length + pending.length;
  } catch (error) {
    console.log(`FAILED the run "${name}" wrote no results: ${error.message}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
