/** One of our own builtins: takes JSON values; returns one, or JSON text in an ArrayBuffer to keep precision. */
export type Builtin = (...args: readonly unknown[]) => unknown;

/** Builtins by their name in OPA. */
export type Builtins = Readonly<Record<string, Builtin>>;

/**
 * Reports that a policy called one of our builtins with a bad argument; the decision is then a denial, never undefined.
 * `detail` goes into the reason and the log; it never quotes the argument.
 */
export class BuiltinFault extends Error {
  constructor(name: string, detail: string) {
    super(`${name}: ${detail}`);
    this.name = 'BuiltinFault';
  }
}

/** Takes a string argument, or throws BuiltinFault. */
export function stringArgument(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new BuiltinFault(name, 'an argument must be a string');
  return value;
}

/** Takes a number argument, or throws BuiltinFault. */
export function numberArgument(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new BuiltinFault(name, 'an argument must be a number');
  return value;
}

/** Takes an integer argument that a double holds exactly, or throws BuiltinFault. */
export function integerArgument(name: string, value: unknown): number {
  const number = numberArgument(name, value);
  if (!Number.isSafeInteger(number)) throw new BuiltinFault(name, 'an argument must be an integer within ±2^53');
  return number;
}

/** Takes a string, or a list of strings (a set arrives as one), or throws BuiltinFault. */
export function stringsArgument(name: string, value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => stringArgument(name, one));
}

/** Takes an object argument, or throws BuiltinFault. */
export function objectArgument(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BuiltinFault(name, 'an argument must be an object');
  return value as Readonly<Record<string, unknown>>;
}

/** Returns JSON text unparsed, for numbers that a double would round. */
export function rawJson(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer;
}
