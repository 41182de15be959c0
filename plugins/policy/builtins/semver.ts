import { BuiltinFault, stringArgument, type Builtins } from './builtin.ts';

// semver.org, FAQ: the suggested regular expression.
const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

/** Builtins for Semantic Versioning 2.0: the version is the part of an Orb id after `@`. */
export const semverBuiltins: Builtins = {
  'semver.is_valid': (text) => typeof text === 'string' && pattern.test(text),
  'semver.compare': (left, right) => compare(parse(left), parse(right)),
};

interface Version {
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];
}

function parse(value: unknown): Version {
  const match = pattern.exec(stringArgument('semver.compare', value));
  if (match === null) throw new BuiltinFault('semver.compare', 'the text is not a semantic version');
  const [, major = '', minor = '', patch = '', pre] = match;
  return { numbers: [major, minor, patch].map(BigInt), pre: pre === undefined ? [] : pre.split('.') };
}

function compare(left: Version, right: Version): number {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (left.pre.length === 0 || right.pre.length === 0) return Math.sign(right.pre.length - left.pre.length);
  for (let index = 0; index < Math.max(left.pre.length, right.pre.length); index += 1) {
    const order = comparePart(left.pre[index], right.pre[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
  const [a, b] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (a !== b) return a ? -1 : 1;
  if (a) return Number(BigInt(left) > BigInt(right)) - Number(BigInt(left) < BigInt(right));
  return left === right ? 0 : left < right ? -1 : 1;
}
