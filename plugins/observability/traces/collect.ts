import type { Clock, HookTaps } from '../../../kernel/index.ts';
import { createRing, type Ring } from './ring.ts';
import type { Seen } from './span.ts';

/** Listens to runs and swaps, and keeps the newest; what they say is kept as it came: a run pays for one reference. */
export function collectTraces(
  hooks: Pick<HookTaps, 'runSettled' | 'providerSwapped'>,
  clock: Pick<Clock, 'now'>,
  most: number,
): Ring<Seen> {
  const ring = createRing<Seen>(most);
  hooks.runSettled.tap('observability', (event) => ring.push({ kind: 'run', at: clock.now(), event }));
  hooks.providerSwapped.tap('observability', (event) => ring.push({ kind: 'swap', at: clock.now(), event }));
  return ring;
}
