import { PlatformError } from '../../error.ts';
import { replacing, rowReader, rowWriter } from '../../store/sql/column.ts';
import type { Connection, WriteConnection, WriteContext } from '../../store/contract.ts';
import { asIs, queriesOf } from '../../store/sql/query.ts';
import { listLeft } from '../journal/owner.ts';
import type { Swap, SwapState } from '../provider/swap-record.ts';

/** The topic under which a binding is told to the other nodes, by the id of its Orb. */
export const bindingTopic = 'bindings';

// In the order of the columns; `from` and `to` are words of SQL.
const swapMembers = [
  ...(['swap_id', 'orb_id', 'from', 'from_generation', 'to', 'generation', 'state', 'rolls_back'] as const),
  ...(['reason', 'principal', 'started_at', 'switched_at', 'receipt_id', 'node', 'incarnation'] as const),
];

const columnOfMember: Readonly<Record<string, string>> = { from: 'from_provider', to: 'to_provider' };
const swapColumns = swapMembers.map((member) => columnOfMember[member] ?? member);

/** Makes the operations of swaps and bindings. */
export function swapWrites(connection: WriteConnection) {
  const put = connection.prepare(
    `INSERT INTO runtime_swaps (${swapColumns.join(', ')}) VALUES (${swapColumns.map(() => '?').join(', ')})
     ${replacing(['swap_id'], swapColumns)}`,
  );
  // A swap that was rolled back keeps that state: the end of its own drain may come later.
  const become = connection.prepare("UPDATE runtime_swaps SET state = ? WHERE swap_id = ? AND state <> 'rolled_back'");
  const interrupt = connection.prepare(
    "UPDATE runtime_swaps SET state = 'failed', reason = 'interrupted', receipt_id = ? WHERE swap_id = ? AND state = 'opening'",
  );
  const bound = ['orb_id', 'provider', 'swap_id', 'bound_at'] as const;
  const bind = rowWriter(connection, 'runtime_bindings', bound, replacing(['orb_id'], bound));
  const open = connection.prepare(
    "SELECT swap_id FROM runtime_swaps WHERE state = 'opening' AND orb_id = ? AND incarnation <> ?",
  );
  const last = connection.prepare('SELECT swap_id FROM runtime_bindings WHERE orb_id = ?');
  // Under the guard of the numbers: of two nodes one begins after the other.
  const checkFree = async ({ orb_id, incarnation = '' }: Swap, bound: string | null): Promise<void> => {
    const opening = (await open.get(orb_id, incarnation))?.['swap_id'];
    const since = (await last.get(orb_id))?.['swap_id'] ?? null;
    const swap_id = opening ?? (since === bound ? undefined : since);
    if (swap_id === undefined) return;
    const detail = `another node swaps the provider of ${orb_id}, or has just done so; read the status and ask again`;
    throw new PlatformError('swap_in_progress', detail, {
      retry_after: 1,
      ...(swap_id === null ? {} : { swap_id: String(swap_id) }),
    });
  };
  const operations = {
    /** Stores the whole present state of a swap. */
    putSwap(swap: Swap): void {
      put.queue(...swapMembers.map((member) => swap[member] ?? null));
    },
    /** Ends a swap that was interrupted before it had switched; any other is refused. Commits with its receipt. */
    async interruptSwap({ swap_id, receipt_id }: { swap_id: string; receipt_id: string }): Promise<void> {
      if ((await interrupt.run(receipt_id, swap_id)) !== 1)
        throw new PlatformError('storage_unavailable', `${swap_id} was settled elsewhere meanwhile`);
    },
    /** Moves a stored swap to another state. */
    moveSwap({ swap_id, state }: { swap_id: string; state: SwapState }): void {
      become.queue(state, swap_id);
    },
    /** Stores which provider a swap bound; a restart binds it again. */
    bindProvider(binding: Readonly<Record<(typeof bound)[number], string>>, write: WriteContext): void {
      bind(binding);
      write.tell(bindingTopic, binding.orb_id);
    },
  };
  return { operations, checkFree };
}

const swapOf = rowReader<Swap>({ properties: Object.fromEntries(swapMembers.map((member) => [member, {}])) });

/** Makes their reads. */
export function swapReads(connection: Connection) {
  const { find, list, pages } = queriesOf(connection);
  const select = swapMembers.map((member) => `${columnOfMember[member] ?? member} AS "${member}"`).join(', ');
  const swaps = `SELECT ${select} FROM runtime_swaps`;
  const newest = pages({ select, table: 'runtime_swaps', id: 'swap_id', read: swapOf });
  const bound = list<Bound, []>('SELECT orb_id, provider FROM runtime_bindings', asIs);
  return {
    findSwap: find(`${swaps} WHERE swap_id = ?`, swapOf),
    /** Newest first; `before`: only swaps with a smaller id. */
    listSwaps: (orbId: string | undefined, before: string | undefined, limit: number) =>
      newest({ indexed: [{ where: 'orb_id = ?', values: orbId }], before, limit }),
    /** The swaps that a process left open, oldest first. */
    openSwaps: listLeft<Swap>(connection, {
      ...{ select: `${swaps} WHERE state IN ('opening', 'draining')`, order: 'swap_id', read: swapOf },
    }),
    /** Finds the swap that bound the provider of an Orb. */
    boundSwap: find('SELECT swap_id FROM runtime_bindings WHERE orb_id = ?', asIs<{ readonly swap_id: string }>),
    boundSwaps: list<{ readonly orb_id: string; readonly swap_id: string }, []>(
      'SELECT orb_id, swap_id FROM runtime_bindings',
      asIs,
    ),
    swappedProviders: (): ReadonlyMap<string, string> =>
      new Map(bound().map(({ orb_id, provider }) => [orb_id, provider])),
  };
}

interface Bound {
  readonly orb_id: string;
  readonly provider: string;
}
