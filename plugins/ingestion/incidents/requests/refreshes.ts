import { createSerial } from '../../../../kernel/index.ts';

const mostOfTurn = 200;

/** Notes that some deliveries came again. */
export type Refresh = (deliveryIds: readonly string[]) => Promise<void>;

/**
 * Makes, of what notes deliveries that came again, one that works in turns: what comes while a turn goes on waits for the
 * next one, each delivery once, at most 200 at a time. A vendor that repeats itself a thousand times in a second thus
 * causes a few reads, not thousands. Rejects as its turn does.
 */
export function refreshInTurns(refresh: Refresh): Refresh {
  const waiting = new Set<string>();
  const serial = createSerial();
  let next: Promise<void> | undefined;
  const turn = async (): Promise<void> => {
    next = undefined;
    const all = [...waiting];
    waiting.clear();
    for (let at = 0; at < all.length; at += mostOfTurn) await refresh(all.slice(at, at + mostOfTurn));
  };
  return (deliveryIds) => {
    for (const id of deliveryIds) waiting.add(id);
    return (next ??= serial(turn));
  };
}
