import type { OrderFact } from './fact.ts';
import type { orderSchema } from './schema.ts';
import providerStore, { type OrderRow, type ProviderReads } from '../store.ts';
import type { Runtime } from '../../runtime/contract.ts';
import {
  canonical,
  digest,
  expectTag,
  given,
  operation,
  PlatformError,
  timestamp,
  unfit,
  type Answered,
  type Condition,
  type Operation,
  type PluginScope,
  type Principal,
} from '../../../kernel/index.ts';

/** The dependencies of orders. */
interface OrdersOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'platform' | 'store'> {
  readonly reads: ProviderReads;
  readonly runtime: Pick<Runtime, 'desk'>;
}

/** An order with its ETag. */
export interface TaggedOrder {
  readonly body: Answered<typeof orderSchema>;
  readonly tag: string;
}

/** Who changes an order, and under which condition. */
export interface OrderChange {
  readonly principal: Principal;
  readonly condition: Condition;
}

/** Keeps the orders of providers in the store: attests each change, and takes it into use on all nodes. */
export class ProviderOrders {
  readonly #options: OrdersOptions;

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  /** Reads the order of an Orb. Throws 404 `orb_not_found`. */
  async read(orb_id: string): Promise<TaggedOrder> {
    return this.#shown(orb_id, await this.#options.reads.findOrder(orb_id));
  }

  /** Stores which providers stand by for an Orb, in order. Throws 404, 409 `defined_in_file`, 412, 422. */
  put(orb_id: string, standbys: readonly string[], by: OrderChange): Promise<TaggedOrder> {
    return this.#change(orb_id, by, async ({ body }, before) => {
      const active = body.active_provider === undefined ? [] : [body.active_provider];
      this.#refuseUnfit(body, standbys);
      const providers = [...active, ...standbys];
      if (before !== undefined && canonical(before.providers) === canonical(providers)) return;
      const tag = digest(canonical(providers));
      await this.#attest({ orb_id, providers, change: 'changed' }, by, (receipt_id) =>
        operation(providerStore, 'putOrder', {
          ...{ orb_id, providers, tag, receipt_id, principal: by.principal.id, before: before?.tag ?? null },
          changed_at: timestamp(this.#options.clock.now()),
        }),
      );
    });
  }

  /** Removes the order of an Orb from the store. Throws 404, 409 `defined_in_file`, 412. */
  remove(orb_id: string, by: OrderChange): Promise<TaggedOrder> {
    return this.#change(orb_id, by, async (_, before) => {
      if (before === undefined) return;
      const { providers, tag } = before;
      await this.#attest({ orb_id, providers, change: 'removed' }, by, () =>
        operation(providerStore, 'removeOrder', { orb_id, before: tag }),
      );
    });
  }

  async #change(
    orbId: string,
    { condition, principal }: OrderChange,
    work: (now: TaggedOrder, before: OrderRow | undefined) => Promise<void>,
  ): Promise<TaggedOrder> {
    const { reads, runtime, store } = this.#options;
    await runtime.desk().change(async () => {
      const before = await reads.findOrder(orbId);
      const now = this.#shown(orbId, before);
      if (now.body.source === 'file') throw inFile(orbId);
      expectTag(condition, `"${now.tag}"`);
      await work(now, before);
    }, principal);
    await store.peers.everywhere();
    return this.read(orbId);
  }

  async #attest(
    { orb_id, ...facts }: { readonly orb_id: string } & Pick<OrderFact['facts'], 'change' | 'providers'>,
    { principal }: OrderChange,
    stored: (receiptId: string) => Operation,
  ): Promise<void> {
    const { clock, platform } = this.#options;
    await platform.attest<OrderFact>({
      fact: { kind: 'order', at: timestamp(clock.now()), orb_id, facts: { ...facts, principal: principal.id } },
      operations: (receipt_id) => [stored(receipt_id)],
    });
  }

  #refuseUnfit({ active_provider, others, standbys }: TaggedOrder['body'], wanted: readonly string[]): void {
    for (const name of wanted) {
      if (name === active_provider) throw unfit('invalid_provider', 'standbys', `${name} is the active provider`);
      if (standbys.includes(name) || others.includes(name)) continue;
      const detail = `${name} is no provider that the Orb can have; \`others\` and \`standbys\` of the order name them`;
      throw unfit('invalid_provider', 'standbys', detail);
    }
  }

  #shown(orb_id: string, row: OrderRow | undefined): TaggedOrder {
    const desk = this.#options.runtime.desk();
    const { capability, inFile: file, names } = desk.orderOf(orb_id);
    const [active_provider, ...standbys] = names;
    const fitting = desk.providers.filter(({ adapter }) => adapter.capability === capability);
    const others = fitting.map(({ name }) => name).filter((name) => !names.includes(name));
    const stored = file ? undefined : row;
    const source = file ? 'file' : stored === undefined ? 'default' : 'store';
    const body = { orb_id, standbys, others, source, ...given({ active_provider, receipt_id: stored?.receipt_id }) };
    return { body: body as TaggedOrder['body'], tag: digest(canonical([source, ...names])) };
  }
}

function inFile(orbId: string): PlatformError {
  const detail = `\`bindings\` of platform.json give the order of ${orbId}; change it there and reload the configuration`;
  return new PlatformError('defined_in_file', detail);
}
