import { every, type HealthCheck } from '../../../kernel/index.ts';
import type { NodeView, Peers } from '../../../kernel/engine.ts';

/**
 * Names the living nodes that are configured otherwise than most; where no configuration has more nodes than another,
 * otherwise than the one that joined first.
 */
export function differing(nodes: readonly NodeView[]): ReadonlySet<string> {
  const known = nodes.filter(({ config, state }) => state === 'live' && config !== '');
  const [most = []] = [...Map.groupBy(known, ({ config }) => config).values()].sort(
    (one, other) => other.length - one.length || firstOf(one) - firstOf(other),
  );
  return new Set(known.filter((node) => !most.includes(node)).map(({ name }) => name));
}

function firstOf(nodes: readonly NodeView[]): number {
  return Math.min(...nodes.map(({ joined_at }) => joined_at));
}

const lookMs = 5000;

/** Looks every five seconds whether all nodes are configured alike; the check answers from memory. */
export function watchAlike(peers: Pick<Peers, 'nodes'>): { readonly check: HealthCheck; readonly stop: () => void } {
  let found: readonly string[] = [];
  const look = async (): Promise<void> => {
    found = [...differing(await peers.nodes())];
  };
  // A store that does not answer shows in its own health.
  const failed = (): void => undefined;
  look().catch(failed);
  const check: HealthCheck = () =>
    found.length === 0
      ? { health: 'up' }
      : { health: 'degraded', reason: `${found.join(', ')}: configured differently from the other nodes` };
  return { check, stop: every(lookMs, look, failed) };
}
