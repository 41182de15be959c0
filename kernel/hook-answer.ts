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
