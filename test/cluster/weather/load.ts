import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../helpers/until.ts';
import { mailOf, type Answered, type Cluster, type ClusterNode, type ShownRun } from '../../helpers/cluster.ts';

/** Whether the faults are played in full, as `npm run soak` does. */
export const soak = process.env['WEATHER_SOAK'] === '1';

/** One call under a key: a mail whose subject is its token, or an Orb without an effect. */
export interface Sent {
  readonly token: string;
  readonly kind: 'mail' | 'queued' | 'echo';
}

/** A call that got a run: accepted, and completed when that was said too. */
export interface Told extends Sent {
  readonly run_id: string;
  readonly completed: boolean;
}

/** Calls that go to the nodes of a cluster until they are stopped. */
export interface Load {
  /** Begins each of its tokens. */
  readonly prefix: string;
  readonly told: readonly Told[];
  /** Those whose call got no run, or no answer. */
  readonly open: readonly Sent[];
  /** How many calls had which answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** When the last call was told a run, on the monotonic clock. */
  readonly lastTold: number;
  /** How long the longest answer of a node took that lived to its end, since `measure`. */
  readonly longestMs: number;
  /** Begins to look for the longest answer. */
  measure(): void;
  stop(): Promise<void>;
}

/** How calls are made. */
export interface LoadOptions {
  /** Begins each token: no two loads of a cluster have the same one. */
  readonly prefix: string;
  readonly clients?: number;
  readonly pauseMs?: number;
  /** One call of so many goes to two nodes at once, under one key. */
  readonly sharedEach?: number;
}

const kinds = ['mail', 'queued', 'mail', 'echo'] as const;

/** Calls a node under the key of a token. */
export function callOf(cluster: Cluster, node: ClusterNode, { kind, token }: Sent): Promise<Answered<ShownRun>> {
  return cluster.callOnce<ShownRun>(node, 'POST', '/orbisets/default/execute', {
    body: kind === 'echo' ? { orb_id: 'demo.echo@1.0.0', inputs: { text: token } } : mailOf(token),
    headers: { 'idempotency-key': `key-${token}`, ...(kind === 'queued' ? { prefer: 'respond-async' } : {}) },
  });
}

/** Begins to call the nodes that are up, and resolves when all of them have served some calls. */
export async function beginLoad(cluster: Cluster, options: LoadOptions): Promise<Load> {
  const load = startLoad(cluster, options);
  await until(
    () => load.told.length,
    (count) => count >= 20,
    'runs on all nodes',
  );
  return load;
}

/** Resolves when a call that was made later has been told a run. */
export async function untilServed(load: Load): Promise<void> {
  const now = performance.now();
  await until(
    () => load.lastTold,
    (last) => last > now + 1000,
    'runs afterwards',
  );
}

/** Begins to call the nodes that are up, one after the other. */
function startLoad(
  cluster: Cluster,
  { prefix, clients = soak ? 6 : 2, pauseMs = soak ? 20 : 250, sharedEach = 5 }: LoadOptions,
): Load {
  const told: Told[] = [];
  const open: Sent[] = [];
  const answers: Record<string, number> = {};
  let lastTold = 0;
  let longest = { ms: 0, since: 0 };
  let next = 0;
  let stopped = false;
  const send = async (node: ClusterNode, sent: Sent): Promise<void> => {
    const begun = performance.now();
    const { body, status } = await callOf(cluster, node, sent);
    const ms = performance.now() - Math.max(begun, longest.since);
    if (node.up && ms > longest.ms) longest = { ...longest, ms };
    answers[status] = (answers[status] ?? 0) + 1;
    const { run_id } = body;
    if ((status !== 200 && status !== 202) || run_id === undefined) return void open.push(sent);
    lastTold = performance.now();
    told.push({ ...sent, run_id, completed: status === 200 && body.status === 'completed' });
  };
  const client = async (): Promise<void> => {
    while (!stopped) {
      const number = next++;
      const sent = { token: `${prefix}${number}`, kind: kinds[number % kinds.length] ?? 'mail' };
      const nodes = cluster.nodes.filter(({ up }) => up);
      const [first, second] = [nodes[number % nodes.length], nodes[(number + 1) % nodes.length]];
      const isShared = number % sharedEach === 0 && second !== first;
      const called = [first, ...(isShared ? [second] : [])].filter((node) => node !== undefined);
      await Promise.all(called.map((node) => send(node, sent)));
      await delay(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    ...{ prefix, told, open, answers },
    get lastTold() {
      return lastTold;
    },
    get longestMs() {
      return longest.ms;
    },
    measure: () => void (longest = { ms: 0, since: performance.now() }),
    async stop() {
      stopped = true;
      await all;
    },
  };
}
