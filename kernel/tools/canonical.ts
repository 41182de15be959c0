import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Serialises a value in canonical form (RFC 8785). Throws on NaN, lone surrogates and values that JSON cannot hold. */
export function canonical(value: unknown): string {
  // For a value already in order, JSON.stringify writes the same bytes at a fraction of the cost of sorting.
  const text = isInOrder(value, 0) ? JSON.stringify(value) : canonicalize(value);
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return text;
}

// The library handles deeper values, and circular ones.
const deepest = 16;

/** Says whether a value is plain JSON with the members of every object in canonical order (RFC 8785 §3.2.3). */
function isInOrder(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return true;
    case 'object':
      if (value === null) return true;
      return depth < deepest && !('toJSON' in value) && (isList(value, depth) || isObject(value, depth));
    default:
      return false;
  }
}

function isList(value: object, depth: number): boolean {
  if (!Array.isArray(value)) return false;
  // By index: a hole is no JSON, and the methods of an array skip it.
  for (let at = 0; at < value.length; at++) if (!isInOrder(value[at], depth + 1)) return false;
  return true;
}

function isObject(value: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  let last: string | undefined;
  // Strings compare by UTF-16 code units, the order that RFC 8785 requires.
  for (const name of Object.keys(value)) {
    if ((last !== undefined && name < last) || !name.isWellFormed()) return false;
    if (!isInOrder((value as Readonly<Record<string, unknown>>)[name], depth + 1)) return false;
    last = name;
  }
  return true;
}

/** Computes `sha256:<hex>` of text (as UTF-8) or bytes. */
export function digest(data: string | Uint8Array): string {
  return `sha256:${hash('sha256', data)}`;
}

/** Makes a function that caches its result for each frozen object, whose members must be frozen too. */
export function perFrozen<Part extends object, Made extends object | string>(
  make: (part: Part) => Made,
): (part: Part) => Made {
  const known = new WeakMap<Part, Made>();
  return (part) => {
    const found = known.get(part);
    if (found !== undefined) return found;
    const made = make(part);
    if (Object.isFrozen(part)) known.set(part, made);
    return made;
  };
}
