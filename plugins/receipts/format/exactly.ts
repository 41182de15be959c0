import type { exactly as ofKernel, optional as optionalOfKernel } from '../../../kernel/index.ts';

// Same types as the kernel's functions: the portable verifier imports nothing of the kernel at run time.

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
