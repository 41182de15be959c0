import type { AddressRule } from './refusals.ts';
import { addressRule } from '../../kernel/outbound.ts';
import { given } from '../../kernel/index.ts';
import type { Adapter, ProviderHandle } from '../../kernel/adapter.ts';

type Method = (...args: never[]) => unknown;

/** Makes adapters whose providers reach a private address only where the rule exempts it; each adapter once. */
export function guardedAdapters(rule: AddressRule): (adapter: Adapter) => Adapter {
  const known = new Map<string, Adapter>();
  const guarded = (adapter: Adapter): Adapter => {
    const open: Adapter['open'] = (scope) => addressRule.run(rule, async () => under(await adapter.open(scope), rule));
    return Object.freeze({ ...adapter, open });
  };
  return (adapter) => {
    const found = known.get(adapter.name) ?? guarded(adapter);
    known.set(adapter.name, found);
    return found;
  };
}

// A client may be made by the first call.
function under(handle: ProviderHandle, rule: AddressRule): ProviderHandle {
  const ruled = <M extends Method>(method: M | undefined): M | undefined =>
    method && (((...args: never[]) => addressRule.run(rule, () => method.apply(handle, args))) as M);
  const { close, definitionOf, lookup, offers, probe } = handle;
  return {
    execute: (inputs, context) => addressRule.run(rule, () => handle.execute(inputs, context)),
    ...given({
      probe: ruled(probe),
      lookup: ruled(lookup),
      offers: ruled(offers),
      definitionOf: ruled(definitionOf),
      close: ruled(close),
    }),
  };
}
