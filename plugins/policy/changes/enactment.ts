import { PlatformError } from '../../../kernel/index.ts';
import type { Actor, Engine, EngineOptions } from '../decide/engine.ts';
import { foundIn } from '../folder/read.ts';
import type { PolicyHome } from '../folder/home.ts';
import { clearFolder, FolderReadOnly, writeFolder } from '../folder/write.ts';
import { pathOf, revisionDigest, testsPathOf, type Revision } from '../revisions/revision.ts';
import { Endings } from './endings.ts';

import type { Draft, PolicyFile } from '../shapes.ts';
import { problems } from '../problems.ts';
import { keptActivations } from '../revisions/activations.ts';

/** A checked revision that is to become active. */
interface Enacted {
  readonly revision: Revision;
  /** The revision that decided when the change started. */
  readonly active: Revision | undefined;
  /** The revision that the store named as active then. */
  readonly stored: string | undefined;
  readonly who: Actor;
  readonly drafts: readonly Draft[];
  readonly overwrite: boolean;
  /** The files are those of the folder, which needs no write. */
  readonly folder: boolean;
}

/** Activates checked revisions, on a single server or on all nodes. */
export interface Enactment {
  /** Resolves when the store holds how every change before ended. Rejects while it refuses that. */
  ended(): Promise<void>;
  /** Throws unless the folder holds what a change may start from. */
  expect(active: Revision | undefined): Promise<void>;
  /** Activates a revision and writes it to the folder. */
  enact(change: Enacted): Promise<void>;
  /** Ends at the start what a crash has broken off. */
  settle(): Promise<void>;
  /** Stops pending retries. */
  stop(): Promise<void>;
}

/** Dependencies of an enactment. */
export interface EnactmentOptions extends Pick<EngineOptions, 'store' | 'reads' | 'log'> {
  readonly engine: Engine;
  readonly home: PolicyHome;
}

/** Makes the enactment of a single server, where the folder defines the active revision. */
export function enactAlone(options: EnactmentOptions): Enactment {
  const { engine, home, reads } = options;
  const endings = new Endings(options);
  return {
    ended: () => endings.written(),
    async expect(active) {
      const { files, strangers } = await foundIn(home.read());
      if (strangers.length > 0 || revisionDigest(files) !== active?.digest) throw folderDiffers();
    },
    async enact({ revision, active, who, drafts, overwrite }) {
      const { digest, files } = revision;
      try {
        await engine.commit(revision, { ...who, pending: true });
        await write(home, files, overwrite ? undefined : active?.files);
      } catch (error) {
        await endings.withdraw(digest);
        throw error instanceof FolderReadOnly ? readOnly() : error;
      }
      await engine.serve(revision, who);
      await endings.settle({ digest, drafts });
    },
    // Completes the newest activation when it is pending, as a crash leaves it. When the folder cannot be written, it is
    // withdrawn and the folder's content stays valid: no caller was told that the revision is active. Earlier ones that
    // are pending did not come into force.
    async settle() {
      const all = await reads.activations(keptActivations);
      const [last] = all;
      const waiting = new Set(all.filter(({ pending }) => pending).map(({ digest }) => digest));
      if (last?.pending === true && (await complete(last.digest, options, endings))) waiting.delete(last.digest);
      for (const digest of waiting) await endings.withdraw(digest);
    },
    stop: () => endings.stop(),
  };
}

// Returns false when the revision cannot be read, or its folder cannot be written.
async function complete(
  digest: string,
  { engine, home, log, reads }: EnactmentOptions,
  endings: Endings,
): Promise<boolean> {
  const revision = await reads.revision(digest);
  if (revision === undefined) return false;
  const { files } = revision;
  try {
    const held = await foundIn(home.read());
    if (revisionDigest(held.files) !== digest) await writeFolder(home.own, engine.active?.files ?? [], files);
  } catch (error) {
    log.error(
      { revision: digest, err: error },
      'a policy revision could not be written to the policies folder; the server tries again',
    );
    return false;
  }
  await engine.restore(revision);
  const drafts = (await reads.drafts()).filter((draft) => holds(revision, pathOf(files, draft.id), draft));
  await endings.settle({ digest, drafts });
  return true;
}

// `known`: the only files that may be deleted; a file added at this moment is left for the watch.
async function write(
  home: PolicyHome,
  files: readonly PolicyFile[],
  known: readonly PolicyFile[] | undefined,
): Promise<void> {
  const mine = known === undefined || home.served() !== home.own ? undefined : { files: known, strangers: [] };
  const { files: previous, strangers } = mine ?? (await foundIn(home.read(home.own)));
  await writeFolder(home.own, previous, files);
  const written = new Set(files.map(({ path }) => path));
  await clearFolder(
    home.own,
    strangers.filter((path) => !written.has(path)),
  );
}

/** Makes the error of a change while the folder holds something else. */
export function folderDiffers(): PlatformError {
  return new PlatformError(
    'precondition_failed',
    'the policies folder differs from the active revision; wait until the server has read it, correct it, or replace its files with `overwrite: true`',
  );
}

/** Makes the error of a change while the folder takes no writes. */
export function readOnly(): PlatformError {
  return new PlatformError(
    problems.policies_read_only,
    'the policies folder is read-only; change the files at their source',
  );
}

// A draft without tests keeps the existing tests, so they are not compared.
function holds({ files }: Revision, path: string, { source, tests }: Draft): boolean {
  const sourceAt = (at: string): string | undefined => files.find((file) => file.path === at)?.source;
  return sourceAt(path) === source && (tests === undefined || sourceAt(testsPathOf(path)) === tests);
}
