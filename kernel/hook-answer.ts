import type { AsyncSeriesBailHook } from 'tapable';
import type { MaybePromise } from './access.ts';

/** Says whether a listener answers later. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Makes a promise of an answer that may be there at once; what it throws at once rejects the promise. */
export function promised<T>(answer: () => MaybePromise<T>): Promise<T> {
  try {
    const given = answer();
    return given instanceof Promise ? given : Promise.resolve(given);
  } catch (error) {
    const { promise, reject } = Promise.withResolvers<T>();
    reject(error);
    return promise;
  }
}

/** Names the tap in the error of a defect; errors with a class of their own reach the caller as they are. */
export function attributed(hook: string, name: string, error: unknown): Error {
  if (error instanceof Error && error.name !== 'Error' && !(error instanceof TypeError)) return error;
  return new Error(`${name} (${hook}): ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

/**
 * Calls an asking hook: returns its answer itself when every tap answered at once, else a promise. Throws what a tap
 * threw at once.
 */
export function asked<Arg, Result>(
  hook: AsyncSeriesBailHook<[Arg], Result>,
  arg: Arg,
): MaybePromise<Result | undefined> {
  let known: { readonly error: Error | null; readonly result: Result | undefined } | undefined;
  let later: PromiseWithResolvers<Result | undefined> | undefined;
  hook.callAsync(arg, (error, result) => {
    if (later === undefined) known = { error: error ?? null, result };
    else if (error) later.reject(error);
    else later.resolve(result);
  });
  if (known === undefined) return (later = Promise.withResolvers<Result | undefined>()).promise;
  if (known.error !== null) throw known.error;
  return known.result;
}
