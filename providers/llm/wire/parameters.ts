import { ProviderError } from '../../../kernel/adapter.ts';

/** Throws ProviderError for a request that the vendor cannot take; `text` is shown to the caller. */
export function refuse(text: string): never {
  throw new ProviderError('rejected', text);
}

/** Leaves out what the vendor does not have. Throws ProviderError unless the operator lets it be ignored. */
export function withoutUnsupported<T extends object>(
  inputs: T,
  unsupported: readonly string[],
  ignored: readonly string[],
): T {
  const found = unsupported.filter((name) => (inputs as Readonly<Record<string, unknown>>)[name] !== undefined);
  const refused = found.find((name) => !ignored.includes(name));
  if (refused !== undefined) refuse(`unsupported parameter \`${refused}\` at this provider`);
  return found.length === 0
    ? inputs
    : (Object.fromEntries(Object.entries(inputs).filter(([name]) => !found.includes(name))) as T);
}

/** Adds the caller's parameters of the vendor to a request. Throws ProviderError for those that are not allowed. */
export function withVendor(
  body: Readonly<Record<string, unknown>>,
  vendor: Readonly<Record<string, unknown>> | undefined,
  allowed: readonly string[],
): Readonly<Record<string, unknown>> {
  const names = Object.keys(vendor ?? {});
  if (names.some((name) => !allowed.includes(name)))
    refuse('`vendor` has a parameter that the provider does not allow');
  if (names.some((name) => Object.hasOwn(body, name))) refuse('`vendor` has a parameter that the call has already');
  return { ...body, ...vendor };
}

/** Leaves out the members without a value. */
export function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name in members) if (members[name] !== undefined) found[name] = members[name];
  return found;
}
