import type { Answered, Cluster, ClusterNode, Sent } from './cluster.ts';

/** An answer, and the node that gave it. */
export interface Balanced<T> extends Answered<T> {
  readonly node: ClusterNode;
}

/** Spreads calls over the nodes of a cluster. */
export interface Balancer {
  call<T>(method: string, path: string, sent: Sent): Promise<Balanced<T>>;
  close(): void;
}

/** How often a node is asked whether it is ready, in milliseconds. */
export const checkMs = 250;

/**
 * Starts what stands in front of the nodes, as the guide sets HAProxy up: it asks each for `/health/ready`, and calls in
 * turn those that are. A call that could not be sent goes to the next one. One that was cut is not sent again, since
 * its outcome is unknown: it has the status 0.
 */
export function startBalancer({ callOnce, nodes }: Cluster): Balancer {
  const ready = new Set(nodes.filter(({ up }) => up));
  const check = async (node: ClusterNode): Promise<void> => {
    const answer = await fetch(`${node.url}/health/ready`, { signal: AbortSignal.timeout(2000) }).catch(
      () => undefined,
    );
    if (answer?.status === 200) ready.add(node);
    else ready.delete(node);
    await answer?.arrayBuffer().catch(() => undefined);
  };
  const timer = setInterval(() => nodes.forEach((node) => void check(node)), checkMs);
  let turn = 0;
  return {
    async call<T>(method: string, path: string, sent: Sent): Promise<Balanced<T>> {
      for (;;) {
        const all = [...ready];
        const node = all[turn++ % all.length];
        if (node === undefined) throw new Error('no node is ready');
        const answer = await callOnce<T>(node, method, path, sent);
        if (!answer.unsent) return { ...answer, node };
        ready.delete(node);
      }
    },
    close: () => clearInterval(timer),
  };
}
