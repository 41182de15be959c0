// A member that may be undefined becomes optional.
type Given<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out members that are undefined. */
export function given<T extends object>(members: T): Given<T> {
  const found: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined) found[name] = members[name];
  // The loop turns T into Given<T>.
  return found as unknown as Given<T>;
}
