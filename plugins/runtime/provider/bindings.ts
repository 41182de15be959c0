import {
  type Binding,
  type ConfiguredProviders,
  generationsOf,
  isBereft,
  orderFor,
  patienceOf,
  type Reloaded,
  retire,
  sameProvider,
  type Slot,
} from './binding.ts';
import { DefinitionWatch } from './definitions.ts';
import type { Orb } from '../catalog/orb.ts';
import { ProviderParts, type ProviderPartsOptions } from './provider-parts.ts';
import runtimeStore from '../store.ts';
import { Transport, type TransportOptions } from './transport.ts';
import type { DefinitionChanged } from '../facts/hooks.ts';
import { within, operation, type PluginScope, every } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';
import { Generation, generationRow } from './generation.ts';

/** The options of bindings. */
export interface BindingOptions
  extends ProviderPartsOptions, Pick<PluginScope<unknown, never>, 'log' | 'stateDir' | 'store'> {
  readonly configured: ConfiguredProviders;
  readonly orbs: Iterable<Orb>;
  /** Orb id → the provider that a swap bound. */
  readonly swapped: ReadonlyMap<string, string>;
  readonly onDefinition?: (event: DefinitionChanged) => void;
  /** Makes the address for the delivery reports of a call. */
  readonly addressOf?: TransportOptions['addressOf'];
  /** How long runs may finish on an old generation, ms. */
  readonly drainMs: number;
}

const openTimeoutMs = 10_000;
const bootWaitMs = 2000;
const reviveEveryMs = 15_000;

/** The providers of each Orb, in order; the first is the active one. */
export class Bindings {
  readonly #options: BindingOptions;
  readonly #bindings = new Map<string, Binding>();
  /** What all slots of a provider share. */
  readonly parts: ProviderParts;
  /** Slots whose provider could not be opened yet, with the transport that is being opened. */
  readonly #unopened = new Map<Slot, Transport>();
  /** Transports that an Orb waits for as it is bound. */
  readonly #opening = new Map<Transport, Promise<void>>();
  #stopReviving: () => void = () => undefined;
  readonly #definitions: DefinitionWatch;

  constructor(options: BindingOptions) {
    this.#options = options;
    this.parts = new ProviderParts(options);
    const orbs = (): Iterable<Orb> => [...this.#bindings.values()].map(({ orb }) => orb);
    this.#definitions = new DefinitionWatch({ ...options, orbs, tell: (event) => options.onDefinition?.(event) });
    for (const orb of options.orbs)
      this.#bindings.set(orb.orb_id, this.#bind(orb, options.configured, options.swapped.get(orb.orb_id)));
  }

  /**
   * Opens and probes every provider in parallel and waits for at most 2 s: the rest is `unknown` and goes on in the
   * background, one that fails is `down` and is tried again every 15 s; neither stops the boot.
   */
  async open(): Promise<void> {
    await this.#openSlots([...this.#bindings.values()].flatMap(({ order }) => order));
    const failed = (error: unknown): void =>
      this.#options.log.error({ err: error }, 'the server could not retry to open its providers');
    this.#stopReviving = every(reviveEveryMs, () => this.#reviveDown(), failed);
  }

  /** Binds one more Orb and opens its providers as at the boot; `swapped`: the provider that a swap bound before. */
  async add(orb: Orb, configured: ConfiguredProviders, swapped: string | undefined): Promise<void> {
    const binding = this.#bind(orb, configured, swapped);
    this.#bindings.set(orb.orb_id, binding);
    // An opening that could not be stored now is tried again in the background.
    await this.#openSlots(binding.order).catch((error: unknown) =>
      this.#options.log.error({ err: error, orb_id: orb.orb_id }, `a provider of ${orb.orb_id} could not be opened`),
    );
  }

  /** Removes an Orb's binding unchanged; no run holds it. `attach` puts it back, `discard` closes its generations. */
  detach(orbId: string): Binding | undefined {
    const binding = this.#bindings.get(orbId);
    this.#bindings.delete(orbId);
    if (binding !== undefined) this.#definitions.forget(binding.orb);
    return binding;
  }

  /** Puts a binding back that was detached. */
  attach(binding: Binding): void {
    this.#bindings.set(binding.orb.orb_id, binding);
  }

  /** Closes all generations of a detached binding. */
  async discard(binding: Binding): Promise<void> {
    const generations = generationsOf(binding);
    for (const slot of binding.order) this.#unopened.delete(slot);
    // An opening in progress then finds no slot in it.
    binding.order = [];
    await Promise.all(generations.map((generation) => generation.close()));
  }

  // Waits for at most 2 s; slower openings continue in the background.
  async #openSlots(slots: readonly Slot[]): Promise<void> {
    const shared = new Map<Provider, Transport>();
    for (const slot of slots) {
      const transport = shared.get(slot.provider) ?? this.transportOf(slot.provider);
      shared.set(slot.provider, transport);
      this.#unopened.set(slot, transport);
    }
    const opening = Promise.all([...shared.values()].map((transport) => this.#reviveHeld(transport)));
    await within<unknown>(bootWaitMs, opening, () => undefined);
  }

  /** Waits until no provider of an Orb that was added is being opened, at most 10 s. */
  async opened(orbId: string): Promise<void> {
    const openings = this.orderOf(orbId).flatMap((slot) => {
      const transport = this.#unopened.get(slot);
      return (transport && this.#opening.get(transport)) ?? [];
    });
    await within<unknown>(openTimeoutMs, Promise.allSettled(openings), () => undefined);
  }

  // A swap may be about to close the transport that another Orb shares.
  #reviveHeld(transport: Transport): Promise<void> {
    transport.hold();
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- `finally` waits for what its callback answers
    const opening = this.#revive(transport).finally(() => {
      this.#opening.delete(transport);
      return transport.release();
    });
    this.#opening.set(transport, opening);
    return opening;
  }

  /** Finds an open transport of a provider, or makes one: one opening serves all Orbs, whenever they were added. */
  transportOf(provider: Provider): Transport {
    const generations = [...this.#bindings.values()].flatMap(generationsOf);
    const transports = [...generations.map(({ transport }) => transport), ...this.#unopened.values()];
    return (
      transports.find((each) => each.isOpen() && sameProvider(each.provider, provider)) ?? this.transport(provider)
    );
  }

  find(orbId: string): Binding | undefined {
    return this.#bindings.get(orbId);
  }

  /** The order of an Orb; empty when nothing offers its capability. */
  orderOf(orbId: string): readonly Slot[] {
    return this.#bindings.get(orbId)?.order ?? [];
  }

  all(): Iterable<Binding> {
    return this.#bindings.values();
  }

  /** Makes a transport of a provider; nothing is opened yet. */
  transport(provider: Provider): Transport {
    const { stateDir, clock, log, addressOf } = this.#options;
    const onOffered = (transport: Transport): void => this.#definitions.look(transport);
    const health = this.parts.healthOf(provider);
    return new Transport(provider, { stateDir, clock, log, health, onOffered, addressOf });
  }

  /**
   * Brings the standbys of an Orb to its configured order: opens new and changed ones, drains and closes removed ones.
   * The active one stays, unless no provider is left for the Orb. A failed opening is tried again in the background.
   */
  async reconcile(binding: Binding, providers: ReadonlyMap<string, Provider>): Promise<Reloaded[]> {
    const active = isBereft(binding, providers) ? undefined : binding.order[0];
    const standbys = binding.order.filter((slot) => slot !== active);
    const changes: Reloaded[] = [];
    const { orb_id } = binding.orb;
    const next = binding.configured.flatMap((name) => {
      const provider = providers.get(name);
      if (provider === undefined || name === active?.provider.name) return [];
      const kept = standbys.find((slot) => sameProvider(slot.provider, provider));
      if (kept === undefined) changes.push({ orb_id, provider: name, change: 'added' });
      return kept === undefined ? this.slot(provider) : [kept];
    });
    const left = standbys.filter((slot) => !next.includes(slot));
    binding.order = active === undefined ? next : [active, ...next];
    for (const slot of next)
      if (!standbys.includes(slot)) {
        const transport = this.transport(slot.provider);
        this.#unopened.set(slot, transport);
        await this.#tryRevive(transport);
        const reason = transport.isOpen() ? transport.unfitFor(binding.orb) : undefined;
        const at = changes.findIndex(({ provider }) => provider === slot.provider.name);
        if (reason !== undefined)
          changes.splice(at, 1, { orb_id, provider: slot.provider.name, change: 'failed', reason });
      }
    for (const slot of left) {
      this.#unopened.delete(slot);
      if (!binding.configured.includes(slot.provider.name))
        changes.push({ orb_id, provider: slot.provider.name, change: 'removed' });
      if (slot.generation !== undefined) await this.#retire(binding, slot.generation);
    }
    return changes;
  }

  // A metered run may go on for minutes: a reload does not wait for it.
  async #retire(binding: Binding, generation: Generation): Promise<void> {
    const { drainMs, log } = this.#options;
    const { manifest } = binding.orb;
    binding.draining.add(generation);
    const retired = retire(binding, generation, patienceOf(binding, drainMs));
    if (manifest.metered !== true) return void (await retired);
    retired.catch((err: unknown) => log.error({ err, orb_id: manifest.orb_id }, 'an old provider could not be closed'));
  }

  /** Ends the background work and closes every generation. */
  async close(): Promise<void> {
    this.#stopReviving();
    const generations = [...this.#bindings.values()].flatMap(generationsOf);
    await Promise.all([...new Set(generations)].map((generation) => generation.close()));
    await Promise.all([...new Set(this.#unopened.values())].map((transport) => transport.close()));
  }

  #bind(orb: Orb, { providers, order }: ConfiguredProviders, swapped: string | undefined): Binding {
    const configured = orderFor(orb, providers, order);
    const chosen = providers.get(swapped ?? '');
    const kept = chosen?.adapter.capability === orb.manifest.capability ? chosen.name : undefined;
    if (swapped !== undefined && kept === undefined)
      this.#options.log.warn(
        { orb_id: orb.orb_id, provider: swapped },
        `provider ${swapped} of the last swap of ${orb.orb_id} is no longer configured; the first provider of the order serves`,
      );
    const names = kept === undefined ? configured : [kept, ...configured.filter((name) => name !== kept)];
    return {
      orb,
      order: names.flatMap((name) => this.slot(providers.get(name))),
      configured,
      source: kept === undefined ? 'config' : 'swap',
      draining: new Set(),
      swap: undefined,
      last_swap: undefined,
    };
  }

  /** Makes an empty slot of a provider; none without one. */
  slot(provider: Provider | undefined): Slot[] {
    return provider === undefined ? [] : [{ provider, ...this.parts.of(provider), generation: undefined }];
  }

  async #revive(transport: Transport): Promise<void> {
    await transport.revive(openTimeoutMs);
    if (!transport.isOpen()) return;
    const slots = [...this.#unopened].filter(([, tried]) => tried === transport).map(([slot]) => slot);
    await Promise.all(slots.map((slot) => this.#openSlot(slot, transport)));
    // Swaps have replaced every slot for which it was opened.
    if (!transport.isHeld()) await transport.close();
  }

  async #openSlot(slot: Slot, transport: Transport): Promise<void> {
    const binding = this.#bindingOf(slot);
    // A swap has replaced the slot in the meantime.
    if (binding === undefined) return void this.#unopened.delete(slot);
    const { store, clock } = this.#options;
    const row = generationRow(binding.orb.orb_id, transport.provider, clock);
    const [number] = await store.write([operation(runtimeStore, 'openGeneration', row)]);
    this.#unopened.delete(slot);
    if (binding.order.includes(slot) && slot.generation === undefined)
      slot.generation = new Generation(number, transport, clock);
    this.#compare(binding.orb, transport);
  }

  #compare(orb: Orb, transport: Transport): void {
    this.#definitions.look(transport);
    const reason = transport.unfitFor(orb);
    if (reason === undefined) return;
    this.#options.log.error({ orb_id: orb.orb_id, reason }, `the bound provider cannot serve ${orb.orb_id}`);
  }

  #bindingOf(slot: Slot): Binding | undefined {
    return [...this.#bindings.values()].find(({ order }) => order.includes(slot));
  }

  #reviveDown(): void {
    for (const slot of this.#unopened.keys()) if (this.#bindingOf(slot) === undefined) this.#unopened.delete(slot);
    const open = [...this.#bindings.values()].flatMap(({ order }) =>
      order.flatMap(({ generation }) => generation?.transport ?? []),
    );
    const failing = open.filter(({ health }) => health.health !== 'up');
    for (const transport of new Set([...failing, ...this.#unopened.values()])) void this.#tryRevive(transport);
  }

  // An opening that could not be stored now is tried again in the next round.
  #tryRevive(transport: Transport): Promise<void> {
    return this.#revive(transport).catch((error: unknown) =>
      this.#options.log.error({ err: error }, `provider ${transport.provider.name} could not be opened again`),
    );
  }
}
