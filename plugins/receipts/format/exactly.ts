import type { exactly as ofKernel, optional as optionalOfKernel } from '../../../kernel/index.ts';

// Same types as the functions of the kernel: the portable verifier imports nothing of the kernel at run time. The two are
// not to be mixed: `exactly` requires a member that the other `optional` has marked.

const optionals = new WeakSet<object>();

/** Marks the schema of a member that `exactly` does not require. */
export const optional = (<S extends object>(schema: S): S => {
  const copy = { ...schema };
  optionals.add(copy);
  return copy;
}) as typeof optionalOfKernel;

/** Makes the schema of an object with these members and no others; a name before them is its title. */
export const exactly = ((...given: readonly [...titles: string[], members: object]): object => {
  const [title] = given.slice(0, -1);
  const properties = given.at(-1) as Readonly<Record<string, object>>;
  const required = Object.keys(properties).filter((name) => !optionals.has(properties[name] ?? {}));
  return {
    ...(title === undefined ? {} : { title }),
    ...{ type: 'object', additionalProperties: false },
    ...(required.length === 0 ? {} : { required }),
    properties,
  };
}) as typeof ofKernel;

/** Schema of one of these words. */
export const oneOf = <const W extends readonly string[]>(words: W, description: string) =>
  ({ type: 'string', enum: words, description }) as const;
/** Schema of an object with these members and no others. */
export const described = <const M extends object>(description: string, members: M) => ({
  description,
  ...exactly(members),
});

/** Schema of a list of such items. */
export const listOf = <const I extends object>(description: string, items: I) =>
  ({ type: 'array', description, items }) as const;
/** Schema of an object that the OpenAPI document names. */
export const component = <const M extends object>(name: string, members: M) => ({ $id: name, ...exactly(members) });
