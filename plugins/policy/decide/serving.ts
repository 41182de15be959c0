import { ignoresAsks, type Revision } from '../revisions/revision.ts';
import type { Pool } from '../evaluator/pool.ts';
import { activeOf, type Decider } from './decider.ts';
import { WebAssembly } from '../evaluator/web-assembly.ts';

const keptLoaded = 3;

/** Makes the function that lets a revision decide from now on; the pool keeps the last three loaded. */
export function createServing(pool: Pool, decider: Decider): (revision: Revision) => Promise<void> {
  const loaded: string[] = [];
  return async (revision) => {
    const { digest, wasm, data } = revision;
    pool.load({ revision: digest, module: await WebAssembly.compile(wasm), data: JSON.stringify(data) });
    pool.warm();
    // One assignment: a running evaluation finishes on its old revision.
    decider.use(activeOf(digest, revision, ignoresAsks(revision)));
    const at = loaded.indexOf(digest);
    if (at >= 0) loaded.splice(at, 1);
    loaded.push(digest);
    for (const old of loaded.splice(0, Math.max(0, loaded.length - keptLoaded))) pool.unload(old);
  };
}
