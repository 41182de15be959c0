import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { packageDir } from './folder.ts';
import { leanWasm } from './lean-wasm.ts';

// As kernel/orb.js does: the tests start the threads of hundreds of platforms.
process.env['NODE_COMPILE_CACHE'] ??= join(packageDir, 'node_modules/.cache/orb');
enableCompileCache();

if (process.env['POLICY_SOAK'] === undefined) for (const flag of leanWasm) setFlagsFromString(flag);
