import { setTimeout as delay } from 'node:timers/promises';
import { ownerOf } from '../journal/owner.ts';
import type { Swap } from '../tables/swap-record.ts';
import runtimeStore from '../store.ts';
import type { SwapScope } from './scope.ts';
import { FailedOnNode, invalidProvider } from './refusals.ts';
import { operation } from '../../../kernel/index.ts';

/** What waiting for the other nodes needs. */
type SwapNodesOptions = Pick<SwapScope, 'clock' | 'log' | 'reads' | 'store'>;

const lookMs = 50;
const drainLookMs = 250;

/** What the other nodes do for the swaps that this node leads. */
export class SwapNodes {
  readonly #options: SwapNodesOptions;
  #closed = false;

  constructor(options: SwapNodesOptions) {
    this.#options = options;
  }

  /**
   * Resolves when each other node that serves has opened and probed the new provider; one that ends meanwhile is not
   * waited for. Throws 422 `invalid_provider` and FailedOnNode, which name the node.
   */
  async opened({ swap_id, to }: Swap, withinMs: number): Promise<void> {
    const { clock, reads, store } = this.#options;
    for (const end = clock.monotonic() + withinMs; ; await delay(lookMs)) {
      const serving = (await store.peers.nodes()).filter(
        (node) => node.serving && node.incarnation !== store.node.incarnation,
      );
      const said = await reads.swapNodes(swap_id);
      for (const { detail, node, phase } of said) {
        if (phase === 'unfit') throw invalidProvider(`${to} cannot serve on the node ${node}: ${detail ?? ''}`);
        if (phase === 'failed') throw new FailedOnNode(node, detail ?? 'opening_failed');
      }
      const missing = serving.find(({ incarnation }) => said.every((one) => one.incarnation !== incarnation));
      if (missing === undefined) return;
      if (clock.monotonic() > end) throw new FailedOnNode(missing.name, 'not_opened_in_time');
    }
  }

  /** Resolves when each node that opened the new provider, and lives, has drained the old one; false: this node ends. */
  async drained({ swap_id }: Pick<Swap, 'swap_id'>): Promise<boolean> {
    const { log, reads, store } = this.#options;
    for (; !this.#closed; await delay(drainLookMs, undefined, { ref: false })) {
      try {
        const waiting = (await reads.swapNodes(swap_id)).filter(({ phase }) => phase === 'opened');
        if (waiting.length === 0) return true;
        const living = new Set(
          (await store.peers.nodes()).map((node) => (node.state === 'live' ? node.incarnation : '')),
        );
        if (!waiting.some(({ incarnation }) => living.has(incarnation))) return true;
      } catch (err) {
        log.debug({ err, swap_id }, 'the nodes that have drained could not be read yet');
      }
    }
    return false;
  }

  /** Completes a swap that another process has bound, in the background: from now on it is this node's. */
  async finish({ swap_id }: Pick<Swap, 'swap_id'>): Promise<void> {
    const { log, store } = this.#options;
    await store.write([operation(runtimeStore, 'takeSwap', { swap_id, ...ownerOf(store) })]);
    const finished = this.drained({ swap_id }).then(async (all) => {
      if (all) await store.write([operation(runtimeStore, 'moveSwap', { swap_id, state: 'completed' })]);
    });
    finished.catch((err: unknown) =>
      log.error({ err, swap_id }, `the swap ${swap_id} of an ended node could not be completed`),
    );
  }

  /** Stops waiting for other nodes. */
  close(): void {
    this.#closed = true;
  }
}
