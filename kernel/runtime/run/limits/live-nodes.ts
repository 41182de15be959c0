import type { Peers } from '../../../store/peers/peers.ts';

const keptMs = 5000;

/** Makes what counts the nodes that live, at least one; what it found is kept for some seconds. */
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
