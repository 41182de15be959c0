import { actions, envelopeSchemas, rootSchema } from '../contract.ts';
import { ownBuiltinNames } from '../builtins/all.ts';
import { nativeBuiltins, packageBuiltins } from '../builtins/names.ts';
import { reservedCodes } from '../evaluator/asks.ts';
import type { Compiler } from './compiler.ts';

/** All builtins that a policy may call: OPA's native ones, those of the evaluator's package, and our own. */
export const offeredBuiltins: readonly string[] = [...nativeBuiltins, ...packageBuiltins, ...ownBuiltinNames];

/** Members of every request to the compiler: the actions, their input schemas, our capabilities. */
export const frameOfRequest = {
  actions,
  schemas: { root: rootSchema, ...envelopeSchemas },
  builtins: offeredBuiltins,
} as const;

// How long the compiler may take for a whole folder.
const deadlineMs = 10_000;

/** Sends a request in its frame to the compiler. Throws as `call` does. */
export function ask<T>(compiler: Compiler, request: object, how?: { readonly urgent?: boolean }): Promise<T> {
  return compiler.call<T>({ ...frameOfRequest, ...request, ...approversOf(compiler) }, deadlineMs, how);
}

// Without groups nobody can be asked.
function approversOf({ groups }: Compiler): object {
  if (groups === undefined) return {};
  const sizes = [...groups].map(([name, { members }]) => [name, members.length] as const);
  return { approvers: { groups: Object.fromEntries(sizes), reserved: reservedCodes } };
}
