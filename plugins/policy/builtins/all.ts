import type { Builtins } from './builtin.ts';
import { digestBuiltins } from './digest.ts';
import { semverBuiltins } from './semver.ts';
import { textBuiltins } from './text.ts';
import { timeBuiltins, type Frozen } from './time.ts';
import { tokenBuiltins } from './token.ts';
import { unitBuiltins } from './units.ts';

/** Makes our own builtins: pure and deterministic; they throw on a bad argument, where OPA would return undefined. */
export function ownBuiltins(frozen: Frozen): Builtins {
  return {
    ...digestBuiltins,
    ...semverBuiltins,
    ...textBuiltins,
    ...timeBuiltins(frozen),
    ...tokenBuiltins,
    ...unitBuiltins,
  };
}

/** Names of our own builtins. */
export const ownBuiltinNames: readonly string[] = Object.keys(ownBuiltins({ time_ns: '0' }));
