import type { Scope } from './scopes.ts';
import { type Reference, type Variable } from './scopes.ts';

/** Follows imports to the variable of the module that declares it. */
export function meant(variable: Variable): Variable {
  return variable.is === undefined ? variable : meant(variable.is);
}

/**
 * Gives each variable of a script a short name: no name of the language, none that the script takes from its surroundings,
 * and none of another variable that is used in the same scope. All modules share one outermost scope.
 */
export function nameShort(references: readonly Reference[], modules: readonly Scope[]): void {
  const free = new Set(reserved);
  const uses = new Map<Variable, number>();
  /** The variables from outside that are used in a scope or below it. */
  const needed = new Map<Scope, Set<Variable>>();
  for (const { name, scope } of references) {
    const found = scope.find(name);
    if (found === undefined) {
      free.add(name);
      continue;
    }
    const variable = meant(found);
    uses.set(variable, (uses.get(variable) ?? 0) + 1);
    for (let at: Scope | undefined = scope; at !== undefined && at !== variable.scope; at = at.parent)
      needed.set(at, (needed.get(at) ?? new Set()).add(variable));
  }
  const name = (variables: readonly Variable[], taken: ReadonlySet<string>): void => {
    const names = shortNames(taken, free);
    for (const variable of variables) variable.short = names.next().value;
  };
  const often = (one: Variable, other: Variable): number => (uses.get(other) ?? 0) - (uses.get(one) ?? 0);
  const inside = (scope: Scope): void => {
    for (const inner of scope.inner) {
      const outside = [...(needed.get(inner) ?? []), ...(inner.isBody ? scope.variables.values() : [])];
      name([...inner.variables.values()], new Set(outside.map(({ short = '' }) => short)));
      inside(inner);
    }
  };
  const outermost = modules.flatMap(({ variables }) => [...variables.values()].filter(({ is }) => is === undefined));
  name(outermost.sort(often), new Set());
  modules.forEach(inside);
}

const reserved = (
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false ' +
  'finally for function if implements import in instanceof interface let new null package private protected public ' +
  'return static super switch this throw true try typeof undefined var void while with yield async get set of'
).split(' ');

const first = [...'etnrioaslcdhupmfgyvbwkxjqzETNRIOASLCDHUPMFGYVBWKXJQZ$_'];
const later = [...first, ...'0123456789'];

function* shortNames(taken: ReadonlySet<string>, free: ReadonlySet<string>): Generator<string, never> {
  for (let length = 1; ; length += 1)
    for (const name of ofLength(length)) if (!taken.has(name) && !free.has(name)) yield name;
}

function* ofLength(length: number): Generator<string> {
  if (length === 1) yield* first;
  else for (const start of ofLength(length - 1)) for (const end of later) yield start + end;
}
