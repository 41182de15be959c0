import { listLeft, type Owner } from '../journal/owner.ts';
import type { Swap, SwapState } from './swap-record.ts';
import { swapNodeReads, swapNodeWrites } from './swap-nodes.ts';
import {
  PlatformError,
  replacing,
  rowReader,
  rowWriter,
  type Connection,
  type WriteConnection,
  type WriteContext,
  queriesOf,
} from '../../../kernel/index.ts';
import { asIs } from '../../../kernel/runner.ts';

/** The topic under which swaps that begin, bind or fail are told to the other nodes, by the id of the Orb. */
export const bindingTopic = 'bindings';

const swapColumns = [
  ...(['swap_id', 'orb_id', 'from_provider', 'from_generation', 'to_provider', 'generation', 'state'] as const),
  ...(['rolls_back', 'reason', 'principal', 'started_at', 'switched_at', 'receipt_id', 'node', 'incarnation'] as const),
  'changed' as const,
];
// `from` and `to` are words of SQL.
const memberOf = (column: string): string => column.replace('_provider', '');

/** Notes of a swap that it changed nothing. */
export const unchangedColumn = 'ALTER TABLE runtime_swaps ADD COLUMN changed INTEGER;';

/** Makes the operations of swaps and bindings. */
export function swapWrites(connection: WriteConnection) {
  const put = rowWriter(connection, 'runtime_swaps', swapColumns, replacing(['swap_id'], swapColumns));
  // A swap that was rolled back keeps that state: the end of its own drain may come later.
  const become = connection.prepare("UPDATE runtime_swaps SET state = ? WHERE swap_id = ? AND state <> 'rolled_back'");
  const interrupt = connection.prepare(
    "UPDATE runtime_swaps SET state = 'failed', reason = 'interrupted', receipt_id = ? WHERE swap_id = ? AND state = 'opening'",
  );
  const bound = ['orb_id', 'provider', 'swap_id', 'bound_at'] as const;
  const bind = rowWriter(connection, 'runtime_bindings', bound, replacing(['orb_id'], bound));
  const take = connection.prepare(
    "UPDATE runtime_swaps SET node = ?, incarnation = ? WHERE swap_id = ? AND state = 'draining'",
  );
  const using = connection.prepare('SELECT orb_id FROM runtime_bindings WHERE provider = ? ORDER BY orb_id LIMIT 1');
  const nodes = swapNodeWrites(connection);
  const ended = ({ orb_id, swap_id }: Pick<Swap, 'orb_id' | 'swap_id'>, write: WriteContext): void => {
    nodes.forget(swap_id);
    write.tell(bindingTopic, orb_id);
  };
  const operations = {
    ...nodes.operations,
    /** Stores the whole present state of a swap. */
    putSwap(swap: Swap, write: WriteContext): void {
      put({ ...swap, from_provider: swap.from, to_provider: swap.to });
      if (swap.state === 'failed') ended(swap, write);
    },
    /** Ends a swap that was interrupted before it had switched; any other is refused. Commits with its receipt. */
    async interruptSwap(args: Record<'orb_id' | 'receipt_id' | 'swap_id', string>, write: WriteContext): Promise<void> {
      const detail = `another node completed or undid the swap ${args.swap_id} in the meantime`;
      if ((await interrupt.run(args.receipt_id, args.swap_id)) !== 1)
        throw new PlatformError('storage_unavailable', detail);
      ended(args, write);
    },
    /** Moves a stored swap to another state. */
    moveSwap({ swap_id, state }: { swap_id: string; state: SwapState }): void {
      become.queue(state, swap_id);
      if (state === 'completed') nodes.forget(swap_id);
    },
    /** Makes a swap that has switched one that this node completes. */
    takeSwap({ swap_id, node, incarnation }: { readonly swap_id: string } & Owner): void {
      take.queue(node, incarnation, swap_id);
    },
    /** Refuses the writes that commit with it while a swap has bound a provider to an Orb. */
    async requireUnbound({ provider }: { readonly provider: string }): Promise<void> {
      const orb_id = (await using.get(provider))?.['orb_id'];
      if (orb_id === undefined) return;
      const detail = `${provider} serves ${String(orb_id)}; swap it to another provider first`;
      throw new PlatformError('provider_in_use', detail);
    },
    /** Stores which provider a swap bound; a restart binds it again. */
    bindProvider(binding: Readonly<Record<(typeof bound)[number], string>>, write: WriteContext): void {
      bind(binding);
      write.tell(bindingTopic, binding.orb_id);
    },
  };
  return { operations, ...beginning(connection, nodes.leads) };
}

// What only a swap that all nodes make does when it begins.
function beginning(connection: WriteConnection, leads: ReturnType<typeof swapNodeWrites>['leads']) {
  const open = connection.prepare(
    "SELECT swap_id FROM runtime_swaps WHERE state = 'opening' AND orb_id = ? AND incarnation <> ?",
  );
  const last = connection.prepare('SELECT swap_id FROM runtime_bindings WHERE orb_id = ?');
  return {
    // Under the guard of the numbers: of two nodes one begins after the other.
    async checkFree({ orb_id, incarnation = '' }: Swap, bound: string | null): Promise<void> {
      const opening = (await open.get(orb_id, incarnation))?.['swap_id'];
      const since = (await last.get(orb_id))?.['swap_id'] ?? null;
      const swap_id = opening ?? (since === bound ? undefined : since);
      if (swap_id === undefined) return;
      const detail = `another node is swapping, or has just swapped, the provider of ${orb_id}; read the status, then try again`;
      const named = swap_id === null ? {} : { swap_id: String(swap_id) };
      throw new PlatformError('swap_in_progress', detail, { retry_after: 1, ...named });
    },
    /** Tells the other nodes to open the new provider. */
    beginAcross({ swap_id, orb_id, node = '', incarnation = '' }: Swap, write: WriteContext): void {
      leads({ swap_id, node, incarnation, phase: 'leads' });
      write.tell(bindingTopic, orb_id);
    },
  };
}

/** The filter of a list of swaps. `provider`: from or to it; `before`: only swaps with a smaller id. */
export interface SwapFilter {
  readonly orb_id?: string | undefined;
  readonly provider?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

const swapOf = rowReader<Swap>({
  properties: { ...Object.fromEntries(swapColumns.map((name) => [memberOf(name), {}])), changed: { type: 'boolean' } },
});

/** Makes their reads. */
export function swapReads(connection: Connection) {
  const { find, list, pages } = queriesOf(connection);
  const select = swapColumns.map((name) => `${name} AS "${memberOf(name)}"`).join(', ');
  const swaps = `SELECT ${select} FROM runtime_swaps`;
  const newest = pages({ select, table: 'runtime_swaps', id: 'swap_id', read: swapOf });
  const bound = list<Bound, []>('SELECT orb_id, provider, swap_id FROM runtime_bindings', asIs);
  const isOpen = "state IN ('opening', 'draining')";
  // Those that all nodes make; a reload proves a provider for its own node alone.
  const opening = `${swaps} WHERE state = 'opening'
    AND swap_id IN (SELECT swap_id FROM runtime_swap_nodes WHERE phase = 'leads')`;
  return {
    ...swapNodeReads(connection),
    /** Finds the swap of an Orb that all nodes prepare now. */
    openingSwap: find(`${opening} AND orb_id = ? ORDER BY swap_id DESC LIMIT 1`, swapOf),
    /** Lists the swaps that all nodes prepare now. */
    openingSwaps: list<Swap, []>(opening, swapOf),
    findSwap: find(`${swaps} WHERE swap_id = ?`, swapOf),
    /** Those that changed something, newest first. */
    listSwaps: ({ orb_id, provider, before, limit }: SwapFilter) =>
      newest({
        indexed: [{ where: 'orb_id = ?', values: orb_id }],
        tried: [
          { where: 'coalesce(changed, 1) = ?', values: 1 },
          { where: '(from_provider = ? OR to_provider = ?)', values: twice(provider) },
        ],
        ...{ before, limit },
      }),
    /** The swaps that a process left open, oldest first. */
    openSwaps: listLeft(connection, { select: `${swaps} WHERE ${isOpen}`, order: 'swap_id', read: swapOf }),
    /** Finds the swap that bound the provider of an Orb. */
    boundSwap: find('SELECT swap_id FROM runtime_bindings WHERE orb_id = ?', asIs<Pick<Bound, 'swap_id'>>),
    /** By the id of the Orb: the swap that bound its provider, and that provider. */
    boundSwaps: (): ReadonlyMap<string, string> => new Map(bound().map(({ orb_id, swap_id }) => [orb_id, swap_id])),
    swappedProviders: (): ReadonlyMap<string, string> =>
      new Map(bound().map(({ orb_id, provider }) => [orb_id, provider])),
  };
}

const twice = (value: string | undefined) => (value === undefined ? undefined : [value, value]);

type Bound = Readonly<Record<'orb_id' | 'provider' | 'swap_id', string>>;
