/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

type Named<T, Maybe> = { [K in keyof T]: (undefined extends T[K] ? true : false) extends Maybe ? K : never }[keyof T];

/** The same members; one that may be undefined may be absent instead. */
export type Defined<T> = Pick<T, Named<T, false>> & { [K in Named<T, true>]?: Exclude<T[K], undefined> };

/** Leaves out the members that are undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
