// Prints the resident memory of a process before the policy compiler lives in it, while it idles, and when it is gone.
import { setTimeout as delay } from 'node:timers/promises';
import { createCompiler } from '../../plugins/policy/toolchain/compiler.ts';
import { frameOfRequest } from '../../plugins/policy/toolchain/request.ts';

const settled = async (): Promise<number> => {
  await delay(1000);
  return process.memoryUsage.rss();
};
const source = 'package orb.policies.a\n\nallow if input.subject.mode == "live"\n';
const files = [{ id: 'a', path: 'a.rego', source, test: false }];
const compiler = createCompiler(process.argv[2] ?? '');
const before = await settled();
const begun = performance.now();
await compiler.call({ ...frameOfRequest, op: 'build', files, data: {}, tests: true, wasm: true }, 60_000);
const first = performance.now() - begun;
const again = performance.now();
await compiler.call({ ...frameOfRequest, op: 'build', files, data: {}, tests: true, wasm: true }, 60_000);
const second = performance.now() - again;
const idle = await settled();
await compiler.stop();
const gone = await settled();
console.log(JSON.stringify({ before, idle, gone, first, second }));
