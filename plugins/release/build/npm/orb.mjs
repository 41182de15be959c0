#!/usr/bin/env node
// It parses on a Node that cannot run the program itself, to say so.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { drainAfterNpx } from './drain.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  // Compiled once, not at each start; beside the package, where nobody else may write. Threads read it from the environment.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache', import.meta.url));
  module.enableCompileCache();
  drainAfterNpx();
  await import('./program/main.cjs');
} else {
  console.error(`orb needs Node 22.19 or newer, this is ${process.version}; install it, or take the executable`);
  process.exitCode = 69;
}
