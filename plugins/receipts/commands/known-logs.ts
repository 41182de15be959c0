import type { CommandCall } from '../../../kernel/index.ts';
import { missingLogs } from '../fsck/logs.ts';
import type { Checkpoint } from '../log/pure/checkpoint.ts';
import type { Trust } from '../verifier/trust.ts';
import { keepSeen, newestSeen, readSeen } from './seen-file.ts';

/** The logs that a verifying command knows from elsewhere: by pinned keys, and by the trees that it remembers. */
export interface KnownLogs {
  /** The newest tree of each remembered log. */
  readonly seen: readonly Checkpoint[];
  /** Names in a sentence each log of the same installations that must exist and is not among those found. */
  missing(found: readonly string[]): string[];
  /** Remembers verified trees, each proved to extend the one that was remembered. */
  remember(trees: readonly Checkpoint[]): Promise<void>;
}

/** Reads the logs that the state dir of a command remembers, and those whose keys are pinned. */
export async function readKnownLogs(call: Pick<CommandCall, 'note' | 'stateDir'>, trust: Trust): Promise<KnownLogs> {
  const remembered = await readSeen(call.stateDir);
  const seen = [...remembered.keys()].flatMap((origin) => newestSeen(remembered, origin) ?? []);
  const expected = {
    pinned: (trust.policy?.logs ?? []).map(({ name }) => name),
    remembered: seen.map(({ origin }) => origin),
  };
  return {
    seen,
    missing: (found) =>
      missingLogs(found, expected).flatMap(({ flaws, origin }) => flaws.map(({ what }) => `the log ${origin} ${what}`)),
    async remember(trees) {
      for (const tree of trees) if (tree.size > 0n) await keepSeen(call, [tree], newestSeen(remembered, tree.origin));
    },
  };
}
