/** Members of which none is undefined: what may be undefined may be absent. */
export type Given<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out members that are undefined. */
export function given<T extends object>(members: T): Given<T> {
  // The filter makes of T what Given says of it.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}
