/** A typed name of a service. Exactly one plugin provides the service; others require it. */
export interface ServiceToken<T> {
  readonly name: string;
  /** Carries the type; never read. */
  readonly phantom?: T;
}

/** Names a service, e.g. `defineService<Reputation>('reputation')`. */
export function defineService<T>(name: string): ServiceToken<T> {
  return Object.freeze({ name });
}

/** Resolves a record of tokens to a record of their services. */
export type Resolved<R extends Readonly<Record<string, ServiceToken<unknown>>>> = {
  readonly [K in keyof R]: R[K] extends ServiceToken<infer T> ? T : never;
};

/** Names of the services that the kernel itself provides. */
export const kernelServices: readonly string[] = ['configuration'];
