import { checkedDefinition, openedOf, providerOf, type Checked, type DefinitionScope } from './definition.ts';
import type { ProviderFact } from './fact.ts';
import { guardedAdapters } from './guarded.ts';
import { problems } from './problems.ts';
import type { providerRequest } from './schema.ts';
import providerStore, { type ProviderReads, type SealedRow } from './store.ts';
import type { ProviderDesk, Reloaded, Runtime, StoredProvider, StoredProviders } from '../runtime/contract.ts';
import { originOf } from '../runtime/contract.ts';
import {
  expectTag,
  given,
  operation,
  PlatformError,
  timestamp,
  type Answered,
  type Condition,
  type Operation,
  type PluginScope,
  type Principal,
} from '../../kernel/index.ts';
import type { Adapter } from '../../kernel/adapter.ts';

/** The dependencies of the keeper. */
interface KeeperOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'platform' | 'store'> {
  readonly reads: ProviderReads;
  readonly rule: DefinitionScope['rule'];
  readonly runtime: Pick<Runtime, 'desk'>;
  /** Counts a provider that cannot be loaded. */
  readonly failed: () => void;
}

/** States of a provider of the store; `in_file`: platform.json defines its name, so that it is not used. */
export const rowStates = ['active', 'standby', 'in_file', 'failed'] as const;

/** A row with its state. */
export interface StateOfRow {
  readonly row: SealedRow;
  readonly state: (typeof rowStates)[number];
  /** Why it failed, if this node has tried to load it. */
  readonly fault?: string;
}

/** A change of a provider, with what it did to the Orbs. */
export interface Changed {
  readonly changes: readonly Reloaded[];
  /** True when there was none with the name. */
  readonly added: boolean;
}

const most = 100;

/** Keeps providers in the store: checks, attests and stores each change, and takes it into use on all nodes. */
export class ProviderKeeper implements StoredProviders {
  readonly #options: KeeperOptions;
  readonly #guarded: (adapter: Adapter) => Adapter;
  /** Why a provider of the store could not be loaded, by name; of the last reading. */
  #faults: ReadonlyMap<string, string> = new Map();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#guarded = guardedAdapters(options.rule);
  }

  /** Makes the providers of the store. */
  async read(adapters: readonly Adapter[]): Promise<readonly StoredProvider[]> {
    const { failed, log, reads, store } = this.#options;
    const faults = new Map<string, string>();
    const made = (await reads.stored()).flatMap((row) => {
      try {
        const adapter = adapters.find(({ name }) => name === row.adapter);
        if (adapter === undefined) throw new Error(`there is no adapter ${row.adapter}`);
        return [providerOf(row, openedOf(row, store.sealer), this.#guarded(adapter))];
      } catch (err) {
        log.error({ err, provider: row.name }, `the stored provider ${row.name} cannot be loaded and does not serve`);
        faults.set(row.name, err instanceof Error ? err.message : String(err));
        failed();
        return [];
      }
    });
    this.#faults = faults;
    return made;
  }

  /** Reads the orders of providers by Orb. */
  async orders(): Promise<Readonly<Record<string, readonly string[]>>> {
    return Object.fromEntries((await this.#options.reads.orders()).map(({ orb_id, providers }) => [orb_id, providers]));
  }

  /** Lists the rows of all providers of the store, each with what became of it. */
  async rows(): Promise<readonly StateOfRow[]> {
    const desk = this.#desk;
    return (await this.#options.reads.stored()).map((row) => {
      const found = desk.find(row.name);
      const fault = this.#faults.get(row.name);
      if (found !== undefined && originOf(found) === 'file') return { row, state: 'in_file' };
      if (found === undefined) return { row, state: 'failed', ...given({ fault }) };
      return { row, state: desk.servedBy(row.name).length > 0 ? 'active' : 'standby' };
    });
  }

  /** Finds the row of a provider. */
  async find(name: string): Promise<SealedRow | undefined> {
    return this.#options.reads.find(name);
  }

  /** Adds or replaces a provider. Throws 409 `defined_in_file`, `provider_in_use`, `provider_limit`, 412, 422. */
  async put(
    name: string,
    request: Answered<typeof providerRequest>,
    by: { readonly principal: Principal; readonly condition: Condition },
  ): Promise<Changed> {
    const { rule, store } = this.#options;
    this.#refuseFile(name);
    const { adapters } = this.#desk;
    const next = await checkedDefinition(name, request, { adapters, rule, sealer: store.sealer });
    return this.#change(name, by, async (before) => {
      if (before?.tag === next.tag) return;
      const other = before !== undefined && this.#capabilityOf(before) !== next.adapter.capability;
      if (other) this.#refuseServing(name, 'it can only change to an adapter of the same capability');
      await this.#attest(next, before, by.principal, other ? [this.#desk.unbound(name)] : []);
    });
  }

  /** Removes a provider. Throws 404, 409 `defined_in_file`, `provider_in_use`, 412. */
  async remove(name: string, by: { readonly principal: Principal; readonly condition: Condition }): Promise<Changed> {
    const { clock, platform } = this.#options;
    this.#refuseFile(name);
    return this.#change(name, by, async (before) => {
      if (before === undefined) throw notFound(name);
      this.#refuseServing(name, 'swap them to another provider first');
      const { adapter, config_digest, tag } = before;
      const at = timestamp(clock.now());
      await platform.attest<ProviderFact>({
        fact: {
          ...{ kind: 'provider', at, provider: name },
          facts: { change: 'removed', adapter, config_digest, principal: by.principal.id },
        },
        operations: () => [this.#desk.unbound(name), operation(providerStore, 'remove', { name, before: tag })],
      });
    });
  }

  /** Takes into use what other nodes have changed. */
  follow(): Promise<void> {
    return this.#desk.follow();
  }

  get #desk(): ProviderDesk {
    return this.#options.runtime.desk();
  }

  async #change(
    name: string,
    { principal, condition }: { readonly principal: Principal; readonly condition: Condition },
    work: (before: SealedRow | undefined) => Promise<void>,
  ): Promise<Changed> {
    const { reads, store } = this.#options;
    const { changes, made } = await this.#desk.change(async () => {
      this.#refuseFile(name);
      const before = await reads.find(name);
      expectTag(condition, before && `"${before.tag}"`);
      await work(before);
      return before;
    }, principal);
    // A swap that follows, on whatever node, finds the provider.
    await store.peers.everywhere();
    return { changes, added: made === undefined };
  }

  async #attest(
    { adapter, config, config_digest, limits, name, tag }: Checked,
    before: SealedRow | undefined,
    { id: principal }: Principal,
    conditions: readonly Operation[],
  ): Promise<void> {
    const at = timestamp(this.#options.clock.now());
    const change = before === undefined ? ('added' as const) : ('changed' as const);
    const row = { name, adapter: adapter.name, config_digest, tag, principal, changed_at: at };
    const definition = JSON.stringify({ config, ...given({ limits }) });
    const times = { created_at: before?.created_at ?? at, before: before?.tag ?? null, most };
    const replaced = before?.config_digest;
    await this.#options.platform.attest<ProviderFact>({
      fact: {
        ...{ kind: 'provider', at, provider: name },
        facts: { change, adapter: adapter.name, config_digest, principal, ...given({ limits, replaced }) },
      },
      operations: (receipt_id) => [
        ...conditions,
        operation(providerStore, 'put', { ...row, ...times, definition, receipt_id }),
      ],
    });
  }

  #refuseFile(name: string): void {
    const found = this.#desk.find(name);
    if (found === undefined || originOf(found) === 'store') return;
    const detail = `platform.json defines ${name}; change it there and reload the configuration, or choose another name`;
    throw new PlatformError('defined_in_file', detail);
  }

  #refuseServing(name: string, way: string): void {
    const orbs = this.#desk.servedBy(name);
    if (orbs.length === 0) return;
    throw new PlatformError('provider_in_use', `${name} serves ${orbs.join(', ')}; ${way}`);
  }

  #capabilityOf({ adapter }: SealedRow): string | undefined {
    return this.#desk.adapters.find(({ name }) => name === adapter)?.capability;
  }
}

/** Makes the problem of an unknown provider. */
export function notFound(name: string): PlatformError {
  return new PlatformError(problems.provider_not_found, `there is no provider ${name}; GET /providers lists them`);
}
