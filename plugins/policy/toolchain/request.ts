import { actions, envelopeSchemas, rootSchema } from '../contract.ts';
import { ownBuiltinNames } from '../builtins/all.ts';
import { nativeBuiltins, packageBuiltins } from '../builtins/names.ts';

/** All builtins a policy may call: OPA's native ones, those of the evaluator's package, ours. */
export const offeredBuiltins: readonly string[] = [...nativeBuiltins, ...packageBuiltins, ...ownBuiltinNames];

/** What every request to the compiler carries: the actions, their input schemas, our capabilities. */
export const frameOfRequest = {
  actions,
  schemas: { root: rootSchema, ...envelopeSchemas },
  builtins: offeredBuiltins,
} as const;
