import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, ClusterNode } from '../../helpers/cluster.ts';

/** Starts nodes again that have ended, as the service manager of a machine does. */
export interface Supervisor {
  /** Ends a node by SIGKILL; it is started again after a time. */
  kill(node: ClusterNode, restartAfterMs: number): void;
  say(text: string): void;
  /** How often a process ended in which way: `75`, `killed`. */
  readonly ends: Readonly<Record<string, number>>;
  /** Ends of processes that no fault explains. */
  readonly faults: readonly string[];
  /** Nothing is started any more. */
  stop(): void;
}

const restartMs = 1000;

/** Begins to supervise nodes that were started. */
export function supervise(cluster: Cluster, say: (text: string) => void): Supervisor {
  const ends: Record<string, number> = {};
  const faults: string[] = [];
  const killed = new Map<ClusterNode, number>();
  let over = false;
  const note = (node: ClusterNode, code: string): void => {
    const restartAfter = killed.get(node);
    const how = code === 'null' && restartAfter !== undefined ? 'killed' : code;
    ends[how] = (ends[how] ?? 0) + 1;
    say(`${node.name} ended: ${how}`);
    if (how !== 'killed' && how !== '75') faults.push(`${node.name} ended with ${how}`);
  };
  const started = (node: ClusterNode): Promise<boolean> =>
    cluster.start(node).then(
      () => true,
      (error: unknown) => {
        note(node, /ended with (\d+|null)/.exec(String(error))?.[1] ?? String(error));
        return false;
      },
    );
  const watch = async (node: ClusterNode): Promise<void> => {
    for (let up = true; !over; up = await started(node)) {
      if (up) {
        say(`${node.name} serves`);
        await node.served.exited();
        node.up = false;
        if (over) return;
        note(node, String(await node.served.stop()));
      }
      await delay(killed.get(node) ?? restartMs);
      killed.delete(node);
    }
  };
  for (const node of cluster.nodes) void watch(node);
  return {
    ...{ ends, faults, say },
    kill(node, restartAfterMs) {
      killed.set(node, Math.max(restartAfterMs, 100));
      node.up = false;
      node.served.signal('SIGKILL');
    },
    stop: () => void (over = true),
  };
}
