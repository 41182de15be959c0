import { within } from '../../kernel/index.ts';
import type { Peers } from '../../kernel/runner.ts';

type Follow = Parameters<Peers['follow']>;

/** Makes a reload with the bound that a node of several gives it. */
export function reloading(reload: Follow[1], late?: Follow[2]): (refs: readonly string[]) => Promise<void> {
  return async (refs) => {
    const going = Promise.resolve(reload(refs));
    await (late === undefined ? going : within(1500, going, () => late(refs)));
  };
}
