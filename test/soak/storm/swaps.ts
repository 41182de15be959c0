import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, ClusterNode } from '../../helpers/cluster.ts';

const orb = 'notify.email@1.0.0';
const everyMs = 500;

/** A swap that was asked for; times on the monotonic clock. */
export interface Swap {
  readonly provider: string;
  readonly sentAt: number;
  /** The generation that it was to replace. */
  readonly replaces: number;
  /** Of a swap that was answered 200. */
  readonly done?: { readonly at: number; readonly generation: number };
  /** It was refused, and has changed nothing. */
  readonly refused: boolean;
}

/** Swaps that are asked for, one after the other, until they are stopped. */
export interface Swaps {
  readonly all: readonly Swap[];
  /** How many swaps had which answer. */
  readonly answers: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

interface Bound {
  readonly active_provider: string;
  readonly generation: number;
  readonly code?: string;
}

/** Begins to swap the provider of mails between two, each half a second, at any node. */
export function beginSwaps(cluster: Cluster, random: () => number): Swaps {
  const all: Swap[] = [];
  const answers: Record<string, number> = {};
  let stopped = false;
  const swap = async (node: ClusterNode): Promise<void> => {
    const { body: bound, status } = await cluster.callOnce<Bound>(node, 'GET', `/providers/${orb}/status`);
    if (status !== 200) return;
    const provider = bound.active_provider === 'mail' ? 'spare' : 'mail';
    const sentAt = performance.now();
    // As of a swap that may still have effect, until it is answered.
    const at = all.push({ provider, sentAt, replaces: bound.generation, refused: false }) - 1;
    const headers = { 'if-match': `"${bound.generation}"` };
    const answer = await cluster.callOnce<Bound>(node, 'POST', `/providers/${orb}/swap`, {
      body: { provider },
      headers,
    });
    const how = `${answer.status} ${answer.body.code ?? ''}`.trim();
    answers[how] = (answers[how] ?? 0) + 1;
    all[at] = {
      ...{ provider, sentAt, replaces: bound.generation },
      refused: [401, 404, 409, 412, 422, 502].includes(answer.status) || answer.unsent === true,
      ...(answer.status === 200 ? { done: { at: performance.now(), generation: answer.body.generation } } : {}),
    };
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      const up = cluster.nodes.filter((node) => node.up);
      const node = up[Math.floor(random() * up.length)];
      // A swap that waits for a node that stands still must not stop the others.
      if (node !== undefined) await Promise.race([swap(node), delay(15_000)]);
      await delay(everyMs);
    }
  };
  const ended = run();
  return {
    ...{ all, answers },
    async stop() {
      stopped = true;
      await ended;
    },
  };
}

/** Says by which providers a mail may have gone that was asked for at one time and arrived at another. */
export function allowedProviders(swaps: readonly Swap[], askedAt: number, arrivedAt: number): readonly string[] {
  const newest = swaps
    .flatMap(({ done, provider }) => (done !== undefined && done.at <= askedAt ? [{ ...done, provider }] : []))
    .sort((one, other) => other.generation - one.generation)[0] ?? { generation: 0, provider: 'mail' };
  const later = swaps.filter(
    ({ done, refused, replaces, sentAt }) =>
      !refused &&
      sentAt <= arrivedAt &&
      (done === undefined ? replaces >= newest.generation : done.generation > newest.generation),
  );
  return [newest.provider, ...later.map(({ provider }) => provider)];
}
