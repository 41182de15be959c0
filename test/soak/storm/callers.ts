import { setTimeout as delay } from 'node:timers/promises';
import type { Answered, Cluster, ClusterNode, Sent } from '../../helpers/cluster.ts';

const tries = 3;
/** What a run may be answered while nodes and databases fail. */
const expected = [0, 200, 202, 409, 503, 504];

/** The cluster as callers have it, and what was seen of their calls. */
export interface Callers {
  readonly cluster: Cluster;
  /** When the first call under a key was made, on the monotonic clock. */
  readonly firstCall: ReadonlyMap<string, number>;
  /** How many runs had which answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** Answers that no fault explains. */
  readonly odd: readonly string[];
  /** The longest that a caller waited for the answer of a node that was up. */
  readonly longestMs: number;
}

type Repeated = Answered<{ readonly code?: string }>;

/** Makes callers of a cluster that repeat a call under its key, at another node, when it was not served. */
export function createCallers(cluster: Cluster): Callers {
  const firstCall = new Map<string, number>();
  const answers: Record<string, number> = {};
  const odd: string[] = [];
  let longestMs = 0;
  const once = async (node: ClusterNode, path: string, sent: Sent): Promise<Repeated> => {
    const begun = performance.now();
    const answer = await cluster.callOnce<Repeated['body']>(node, 'POST', path, sent);
    const how = `${answer.status} ${answer.body.code ?? ''}`.trim();
    answers[how] = (answers[how] ?? 0) + 1;
    if (answer.status !== 0) longestMs = Math.max(longestMs, performance.now() - begun);
    if (!expected.includes(answer.status)) odd.push(`${node.name} ${how} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const call = async (node: ClusterNode, method: string, path: string, sent: Sent = {}): Promise<Repeated> => {
    const key = sent.headers?.['idempotency-key'];
    if (key === undefined) return cluster.callOnce<Repeated['body']>(node, method, path, sent);
    const token = key.replace(/^key-/, '');
    if (!firstCall.has(token)) firstCall.set(token, performance.now());
    let answer = await once(node, path, sent);
    for (let turn = 1; turn < tries && [0, 503].includes(answer.status); turn += 1) {
      await delay(300);
      const up = cluster.nodes.filter((one) => one.up);
      answer = await once(up[turn % up.length] ?? node, path, sent);
    }
    return answer;
  };
  return {
    cluster: { ...cluster, call: call as Cluster['call'], callOnce: call as Cluster['call'] },
    ...{ firstCall, answers, odd },
    get longestMs() {
      return longestMs;
    },
  };
}
