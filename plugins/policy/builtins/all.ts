import type { Builtins } from './builtin.ts';
import { digestBuiltins } from './digest.ts';
import { semverBuiltins } from './semver.ts';
import { textBuiltins } from './text.ts';
import { timeBuiltins, type Frozen } from './time.ts';
import { tokenBuiltins } from './token.ts';
import { unitBuiltins } from './units.ts';

/** Makes all builtins of ours: pure, deterministic, and throwing on a bad argument where OPA would say undefined. */
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

/** Names of all builtins of ours. */
export const ownBuiltinNames: readonly string[] = Object.keys(ownBuiltins({ time_ns: '0' }));
