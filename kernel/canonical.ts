import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Serialises a value in canonical form (RFC 8785). Throws on NaN, lone surrogates and what JSON cannot hold. */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return text;
}

/** Computes `sha256:<hex>` of text (as UTF-8) or bytes. */
export function digest(data: string | Uint8Array): string {
  return `sha256:${hash('sha256', data)}`;
}

const texts = new WeakMap<object, string>();

/** Serialises a value as JSON.stringify does, and a frozen one once: for parts that stand in thousands of texts. */
export function textOf(part: object): string {
  const known = texts.get(part);
  if (known !== undefined) return known;
  const text = JSON.stringify(part);
  if (Object.isFrozen(part)) texts.set(part, text);
  return text;
}
