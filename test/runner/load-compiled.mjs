// Runs a bundle of the program with the code that an earlier process compiled of it. The cache of Node holds no function
// that was compiled when it was first called, which are most of those that a server calls to start.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';
import { isMainThread, threadId, threadName } from 'node:worker_threads';

/** Runs the bundle of a file. The first process that ends normally keeps what it has compiled beside the file. */
export default function load(filename) {
  const module = { exports: {} };
  const require = createRequire(filename);
  compiled(filename)
    .runInThisContext()
    .call(module.exports, module.exports, require, module, filename, dirname(filename));
}

function compiled(filename) {
  // V8 takes it only with the flags that it was compiled with. Threads of one file call other functions of it.
  const kept = `${filename}.${threadName || 'main'}.${cachedDataVersionTag().toString(16)}`;
  const cachedData = readIfThere(kept);
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'utf8')}\n})`;
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(source, { filename, cachedData, importModuleDynamically });
  withoutWarning(() => void new Script("import('node:vm')", { importModuleDynamically }).runInThisContext());
  if (cachedData === undefined) whenWarm(() => keep(script, kept));
  return script;
}

// Node calls the constant experimental, and says so at the first import: each program that a test starts would.
function withoutWarning(importFirst) {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    importFirst();
  } finally {
    process.emitWarning = emitWarning;
  }
}

// Most threads are ended from outside. Beside other work, long after the first jobs of a thread, which are waited for.
const restMs = Number(process.env.SUITE_WARM_MS ?? 15_000);

function whenWarm(keep) {
  if (isMainThread) process.once('exit', keep);
  else setTimeout(keep, restMs).unref();
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

// It must not end the program otherwise than it would end without.
function keep(script, path) {
  try {
    const temporary = `${path}.${process.pid}.${threadId}`;
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, path);
  } catch (error) {
    console.error(error);
  }
}
