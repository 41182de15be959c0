import type { Claim, Operations, WriteContext, Writing } from './contract.ts';

// What the committers of all engines have in common.

/** The writing half of a store module under its name. */
export interface NamedWriting {
  readonly name: string;
  readonly writing: Writing<Operations>;
  readonly claims?: readonly Claim[] | undefined;
}

/** Another process took over the store: this process must not follow its commits. */
export class OwnerLost extends Error {}

/** The database is older than what this process has committed: it was put back, or a replica that was behind took over. */
export class WentBack extends OwnerLost {}

/** One operation of the table, with what its engine keeps of its module. */
export interface Step<Taker> {
  readonly taker: Taker;
  readonly run: (args: never, write: WriteContext) => unknown;
}

/** Lists the operations of the modules; the number of an operation is its index through all of them. */
export function tableOf(modules: readonly NamedWriting[]): readonly (readonly [string, readonly string[]])[] {
  return modules.map(({ name, writing }) => [name, Object.keys(writing.operations)]);
}

/** Makes the operations of the modules ready to be called, in the order of their table. */
export function stepsOf<Taker extends { readonly writing: Writing<Operations> }>(
  takers: readonly Taker[],
): readonly Step<Taker>[] {
  return takers.flatMap((taker) =>
    Object.values(taker.writing.operations).map((run) => ({ taker, run: run.bind(taker.writing.operations) })),
  );
}

/** Takes a guard: locks its row to the end of the transaction, where engines have such locks. */
export const takeGuard = `INSERT INTO kernel_guards (name, guard) VALUES (?, 1)
  ON CONFLICT (name) DO UPDATE SET guard = kernel_guards.guard + 1`;
