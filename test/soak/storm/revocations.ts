import { setTimeout as delay } from 'node:timers/promises';
import type { Answered, Cluster, ClusterNode } from '../../helpers/cluster.ts';

const everyMs = 2000;
/** What a node may answer a key that was revoked: it is not accepted, or the node serves no one. */
const right = [0, 401, 429, 503];

/** Keys that are made, used and revoked until it is stopped. */
export interface Revocations {
  readonly revoked: number;
  readonly answers: Readonly<Record<string, number>>;
  /** Keys that a node accepted after their revocation was answered. */
  readonly faults: readonly string[];
  stop(): Promise<void>;
}

interface Made {
  readonly key: string;
  readonly key_id: string;
}

/** Begins to make a key at one node, to use it at all, to revoke it, and to use it again. */
export function beginRevocations(cluster: Cluster, random: () => number): Revocations {
  const faults: string[] = [];
  const answers: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  let [revoked, stopped] = [0, false];
  const use = (node: ClusterNode, { key }: Made): Promise<Answered<object>> =>
    cluster.callOnce(node, 'GET', '/keys/self', { headers: { authorization: `Bearer ${key}` } });
  const round = async (node: ClusterNode): Promise<void> => {
    const made = await cluster.callOnce<Made>(node, 'POST', '/keys', { body: { scopes: ['runs:read'] } });
    const up = cluster.nodes.filter((one) => one.up);
    if (made.status !== 201) return;
    // So that each node holds it in its memory.
    await Promise.all(up.map((one) => use(one, made.body)));
    const { status } = await cluster.callOnce(node, 'DELETE', `/keys/${made.body.key_id}`);
    answers[status] = (answers[status] ?? 0) + 1;
    if (status !== 204) return;
    revoked += 1;
    const after = await Promise.all(up.map(async (one) => ({ one, status: (await use(one, made.body)).status })));
    for (const { one, status: found } of after)
      if (!right.includes(found))
        faults.push(`${one.name} answered ${found} to ${made.body.key_id}, which was revoked`);
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      const up = cluster.nodes.filter((node) => node.up);
      const node = up[Math.floor(random() * up.length)];
      if (node !== undefined) {
        const one = round(node).finally(() => open.delete(one));
        open.add(one);
      }
      await delay(everyMs);
    }
    await Promise.all(open);
  };
  const ended = run();
  return {
    ...{ answers, faults },
    get revoked() {
      return revoked;
    },
    async stop() {
      stopped = true;
      await ended;
    },
  };
}
