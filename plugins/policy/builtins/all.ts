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

/**
 * Builtins that only the compiler calls, in tests: a mock of the input goes through JSON as the input of a run does,
 * so `1.0` is `1` and a set is a list.
 */
export const compilerBuiltins: Builtins = { 'internal.as_question': (value) => value };

/** Names of our own builtins. */
export const ownBuiltinNames: readonly string[] = Object.keys(ownBuiltins({ time_ns: '0' }));
