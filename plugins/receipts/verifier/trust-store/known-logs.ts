import type { CommandCall } from '../../../../kernel/index.ts';
import type { Checkpoint } from '../../log/pure/note.ts';
import { installationOf } from '../position.ts';
import type { Trust } from '../trust.ts';
import { keepSeen, newestSeen, readSeen } from './seen-file.ts';

/** The logs that a verifying command knows from elsewhere: by pinned keys, and by the trees that it remembers. */
export interface KnownLogs {
  /** The newest tree of each remembered log. */
  readonly seen: readonly Checkpoint[];
  readonly expected: Expected;
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
    ...{ seen, expected },
    missing: (found) =>
      logsOf(found, expected)
        .filter((origin) => !found.includes(origin))
        .map((origin) => `the log ${origin} ${omission(origin, expected)}`),
    async remember(trees) {
      for (const tree of trees) if (tree.size > 0n) await keepSeen(call, [tree], newestSeen(remembered, tree.origin));
    },
  };
}

/** Logs that are known from elsewhere. */
export interface Expected {
  /** Names of the logs whose keys are pinned. */
  readonly pinned: readonly string[];
  /** Names of the logs with a remembered checkpoint. */
  readonly remembered: readonly string[];
}

/** Names the logs of one installation that must exist: all that are published, pinned or remembered. */
export function logsOf(published: readonly string[], { pinned, remembered }: Expected): string[] {
  const installations = new Set(published.map(installationOf));
  const others = [...pinned, ...remembered].filter((origin) => installations.has(installationOf(origin)));
  return [...new Set([...published, ...others])];
}

/** Says how a log is known that must exist and is missing: omitting a log may hide its entries. */
export function omission(origin: string, { pinned, remembered }: Expected): string {
  const known = remembered.includes(origin) ? 'remembered' : pinned.includes(origin) ? 'pinned' : 'published';
  return `is missing, though the log is ${known}`;
}
