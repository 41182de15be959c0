import type { Log } from '../../../kernel/index.ts';
import { createCompiler, type Compiler } from './compiler.ts';
import { buildWithGo, isGoMissing, type GoBuild } from './go-build.ts';
import { cachePath, findCompiler } from './locate.ts';

/** Where the compiler stands: in use, being built, or not to be had. */
export type CompilerState = 'wasm' | 'building' | 'absent';

/** The compiler of this installation, whenever there is one. */
export interface CompilerSource {
  state(): CompilerState;
  /** The compiler, or undefined while there is none. */
  compiler(): Compiler | undefined;
  /** Builds one by Go in the background when there is none; `ready` is called once it serves. Resolves when that is over. */
  buildIfAbsent(ready: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Ways to a compiler, for the operator. */
export const waysOut =
  'there is no policy compiler: install Go (go.dev) and restart, run npm run build:compiler, or set ORB_POLICY_COMPILER';

/** Finds the compiler; `named`: ORB_POLICY_COMPILER, known to be usable. */
export function createCompilerSource(named: string | undefined, stateDir: string, log: Log): CompilerSource {
  const open = (path: string | undefined): Compiler | undefined =>
    path === undefined ? undefined : createCompiler(path);
  let compiler = open(findCompiler(named, stateDir));
  let build: GoBuild | undefined;
  let stopped = false;
  return {
    state: () => (compiler !== undefined ? 'wasm' : build !== undefined ? 'building' : 'absent'),
    compiler: () => compiler,
    async buildIfAbsent(ready) {
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
