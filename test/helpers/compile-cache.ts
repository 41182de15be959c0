import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { packageDir } from '../../kernel/boot/config.ts';

// As kernel/orb.js does: the tests start the threads of hundreds of platforms.
process.env['NODE_COMPILE_CACHE'] ??= join(packageDir, 'node_modules/.cache/orb');
enableCompileCache();

// V8 spends more on optimising the policy compiler (40 MB of Wasm) than the few builds of a test take. Servers that run
// as processes, and the soak, optimise as always.
if (process.env['POLICY_SOAK'] === undefined)
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
