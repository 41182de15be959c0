import type { Peers } from '../../../../kernel/runner.ts';

const keptMs = 5000;

/** Makes a counter of the live nodes, at least one; it keeps a count for some seconds. */
export function liveNodes(peers: Pick<Peers, 'nodes'>): () => Promise<number> {
  let known: Promise<number> | undefined;
  let at = -Infinity;
  const count = async (): Promise<number> =>
    Math.max(1, (await peers.nodes()).filter(({ state }) => state === 'live').length);
  return () => {
    const now = performance.now();
    if (known !== undefined && now - at < keptMs) return known;
    at = now;
    known = count();
    known.catch(() => (known = undefined));
    return known;
  };
}
