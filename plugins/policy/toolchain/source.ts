import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';
import { ConfigError, PlatformError, type Log } from '../../../kernel/index.ts';
import type { ApprovalGroups } from '../../approvals/contract.ts';
import { WebAssembly } from '../evaluator/web-assembly.ts';
import { problems } from '../problems.ts';
import { CompilerFault, createCompiler, type Compiler } from './compiler.ts';
import { buildWithGo, isGoMissing, type GoBuild } from './go-build.ts';
import { cachePath, findCompiler } from './locate.ts';

/** Access to the compiler of this installation. */
export type CompilerSource = ReturnType<typeof createCompilerSource>;

/** Tells the operator how to get a compiler. */
export const waysOut =
  'there is no policy compiler: install Go 1.26 from go.dev and restart, or set ORB_POLICY_COMPILER to one that was built elsewhere';

/**
 * Sends a request to the compiler. Throws 503 `policy_compiler_unavailable` without a compiler or when too many calls
 * wait, 422 `policy_invalid` when the compiler gives up.
 */
export async function askCompiler<T>(
  source: Pick<CompilerSource, 'compiler'>,
  ask: (compiler: Compiler) => Promise<T>,
): Promise<T> {
  const compiler = source.compiler();
  if (compiler === undefined) throw unavailable(waysOut);
  try {
    return await ask(compiler);
  } catch (error) {
    if (!(error instanceof CompilerFault)) throw error;
    if (error.kind === 'busy') throw unavailable(error.message);
    throw new PlatformError(
      problems.policy_invalid,
      `the policy compiler failed (${error.kind}); simplify the policies`,
    );
  }
}

function unavailable(detail: string): PlatformError {
  return new PlatformError(problems.policy_compiler_unavailable, detail, { retry_after: 10 });
}

/** Finds the compiler; `named`: ORB_POLICY_COMPILER, already checked. */
export function createCompilerSource(named: string | undefined, stateDir: string, log: Log, groups?: ApprovalGroups) {
  const open = (path: string | undefined): Compiler | undefined =>
    path === undefined ? undefined : createCompiler(path, { groups });
  let compiler = open(findCompiler(named, stateDir));
  let build: GoBuild | undefined;
  let stopped = false;
  return {
    state: () => (compiler !== undefined ? 'wasm' : build !== undefined ? 'building' : 'absent'),
    /** Returns the compiler, or undefined while there is none. */
    compiler: () => compiler,
    /** Builds a missing compiler with Go in the background; calls `ready` once it is usable. Resolves after both. */
    async buildIfAbsent(ready: () => Promise<void>) {
      if (compiler !== undefined || build !== undefined || stopped) return;
      try {
        const target = cachePath(stateDir);
        build = buildWithGo(target);
        await build.done;
        compiler = open(target);
        log.info({ file: target }, 'the policy compiler was built');
      } catch (error) {
        if (!stopped && isGoMissing(error)) log.info({}, waysOut);
        else if (!stopped) log.error({ err: error }, 'the policy compiler could not be built');
      } finally {
        build = undefined;
      }
      if (compiler !== undefined && !stopped) await ready();
    },
    async stop() {
      stopped = true;
      build?.stop();
      await build?.done.catch(() => undefined);
      await compiler?.stop();
    },
  };
}

/** Finds the compiler; `named`: ORB_POLICY_COMPILER. Throws ConfigError when the named file cannot be used. */
export async function openCompilerSource(
  named: string | undefined,
  stateDir: string,
  log: Log,
  groups: ApprovalGroups | undefined,
): Promise<CompilerSource> {
  const wrong = named === undefined ? undefined : await unusable(named);
  if (wrong !== undefined)
    throw new ConfigError([
      `environment/ORB_POLICY_COMPILER: ${named ?? ''}: ${wrong}; unset the variable, or set it to the file that npm run build:compiler wrote to dist/`,
    ]);
  return createCompilerSource(named, stateDir, log, groups);
}

const needed = ['memory', '_initialize', 'alloc', 'release', 'call'];

/** Returns what is wrong with a file that is named as the policy compiler, or undefined when it can be used. */
export async function unusable(path: string): Promise<string | undefined> {
  const file = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
  if (file instanceof Error) return `it cannot be read (${file.code ?? 'error'})`;
  try {
    const module = await WebAssembly.compile(path.endsWith('.br') ? brotliDecompressSync(file) : file);
    const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
    const missing = needed.filter((name) => !exported.has(name));
    return missing.length === 0 ? undefined : `it is not the policy compiler: it does not export ${missing.join(', ')}`;
  } catch {
    return 'it is not a WebAssembly module';
  }
}
