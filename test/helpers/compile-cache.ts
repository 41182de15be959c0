import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { packageDir } from '../../kernel/boot/config.ts';

// As kernel/orb.js does: the tests start the threads of hundreds of platforms.
process.env['NODE_COMPILE_CACHE'] ??= join(packageDir, 'node_modules/.cache/orb');
enableCompileCache();
