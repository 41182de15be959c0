import type { Catalog } from '../catalog/catalog.ts';
import { unknownOrb } from '../catalog/unknown-orb.ts';
import type { Orb } from '../catalog/orb.ts';
import type { RuntimeScope } from '../facts/scope.ts';
import type { Slot } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import { Generation, generationRow } from '../provider/generation.ts';
import type { KnownProviders } from '../provider/known.ts';
import type { Execute, ExecuteCall } from '../run/execute.ts';
import runtimeStore from '../store.ts';
import { operation } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

/** What a test needs. */
interface TestOptions extends Pick<RuntimeScope, 'clock' | 'store'> {
  readonly manifests: { readonly catalog: Catalog };
  readonly bindings: Bindings;
  readonly known: KnownProviders;
  readonly execute: Execute;
}

/**
 * Runs an Orb by one provider alone, whether or not the Orb uses it. Throws as a run does, 404 for an unknown Orb, and 422
 * `invalid_provider` for a provider of another capability.
 */
export type TestProvider = (name: string, call: TestCall, key?: string) => ReturnType<Execute>;

type TestCall = Pick<ExecuteCall, 'client_ip' | 'inputs' | 'orb_id' | 'orbiset_id' | 'principal' | 'traceparent'>;

// Policies and receipts tell tests by it.
const channel = Object.freeze({ kind: 'test' });

/** Creates what tests a provider. The run is not held for people: nobody waits for a test. */
export function createProviderTest(options: TestOptions): TestProvider {
  const { bindings, execute, known, manifests } = options;
  return async (name, call, key) => {
    const { orbs } = manifests.catalog;
    const orb = orbs.get(call.orb_id);
    if (orb === undefined) throw unknownOrb(call.orb_id, [...orbs.keys()]);
    const provider = known.resolve(name, { capability: orb.manifest.capability, caller: call.principal });
    const bound = (): Slot | undefined =>
      bindings.orderOf(orb.orb_id).find((slot) => slot.provider.name === name && slot.generation !== undefined);
    const own = bound() === undefined ? await opened(provider, orb, options) : undefined;
    const pinned = (): Slot => bound() ?? own ?? { provider, ...bindings.parts.of(provider), generation: undefined };
    try {
      return await execute({ ...call, channel, hold: 'refuse', pinned }, key);
    } finally {
      await own?.generation?.close();
    }
  };
}

// A provider that the Orb does not use, or that could not be opened before. Without a generation the run says so.
async function opened(provider: Provider, orb: Orb, { bindings, clock, store }: TestOptions): Promise<Slot> {
  const slot: Slot = { provider, ...bindings.parts.of(provider), generation: undefined };
  const transport = bindings.transportOf(provider);
  transport.hold();
  try {
    await transport.revive(orb.manifest.timeout_ms);
    if (!transport.isOpen()) return slot;
    const row = generationRow(orb.orb_id, provider, clock);
    const [number] = await store.write([operation(runtimeStore, 'openGeneration', row)]);
    return { ...slot, generation: new Generation(number, transport, clock) };
  } finally {
    await transport.release();
  }
}
