import { operation, PlatformError, type Log, type Store } from '../../../kernel/index.ts';
import type { Actor, Engine } from '../decide/engine.ts';
import { foundIn } from '../folder/found.ts';
import type { PolicyHome } from '../folder/home.ts';
import { clearFolder, FolderReadOnly, writeFolder } from '../folder/write.ts';
import { pathOf, revisionDigest, testsPathOf, type PolicyFile, type Revision } from './revision.ts';
import policyStore, { type PolicyReads } from '../store.ts';
import type { Draft } from '../shapes.ts';
import { problems } from '../problems.ts';

/** A checked revision that is to come into force. */
export interface Enacted {
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

/** Puts checked revisions into force: on a server alone, or on all nodes of several. */
export interface Enactment {
  /** Throws unless the folder holds what a change may start from. */
  expect(active: Revision | undefined): Promise<void>;
  /** Puts a revision into force and writes it to the folder. */
  enact(change: Enacted): Promise<void>;
  /** Ends at the start what a crash has broken off. */
  settle(): Promise<void>;
}

/** Dependencies of an enactment. */
export interface EnactmentOptions {
  readonly engine: Engine;
  readonly home: PolicyHome;
  readonly store: Store;
  readonly reads: PolicyReads;
  readonly log: Log;
}

/** Makes the enactment of a server alone, where the folder is the truth of what is active. */
export function enactAlone({ engine, home, store, reads, log }: EnactmentOptions): Enactment {
  return {
    async expect(active) {
      const { files, strangers } = await foundIn(home.served());
      if (strangers.length > 0 || revisionDigest(files) !== active?.digest) throw folderDiffers();
    },
    async enact({ revision, active, who, drafts, overwrite }) {
      await engine.commit(revision, { ...who, pending: true });
      await write(revision.files, overwrite ? undefined : active?.files);
      await engine.serve(revision, who);
      await store.write([operation(policyStore, 'settle', { drafts })]);
    },
    // Writes a pending revision to its folder after a crash. When the folder cannot be written, the activation is
    // withdrawn and the folder's content stays valid: no caller was told that the revision is active.
    async settle() {
      const [last, before] = await reads.activations(2);
      if (last?.pending !== true) return;
      const revision = await reads.revision(last.digest);
      const previous = before === undefined ? undefined : await reads.revision(before.digest);
      try {
        if (revision !== undefined) await writeFolder(home.own, previous?.files ?? [], revision.files);
      } catch (error) {
        log.error({ revision: last.digest, err: error }, 'a waiting revision could not be written to its folder');
        await store.write([operation(policyStore, 'withdraw', null)]);
        return;
      }
      const active = engine.active?.files ?? [];
      const drafts = (await reads.drafts()).filter((draft) => holds(revision, pathOf(active, draft.id), draft));
      await store.write([operation(policyStore, 'settle', { drafts })]);
    },
  };

  // `known`: the only files that may be deleted; a file added at this moment is left for the watch.
  async function write(files: readonly PolicyFile[], known: readonly PolicyFile[] | undefined): Promise<void> {
    const mine = known === undefined || home.served() !== home.own ? undefined : { files: known, strangers: [] };
    try {
      const { files: previous, strangers } = mine ?? (await foundIn(home.own));
      await writeFolder(home.own, previous, files);
      const written = new Set(files.map(({ path }) => path));
      await clearFolder(
        home.own,
        strangers.filter((path) => !written.has(path)),
      );
    } catch (error) {
      await store.write([operation(policyStore, 'withdraw', null)]);
      if (error instanceof FolderReadOnly) throw readOnly();
      throw error;
    }
  }
}

/** Makes the error of a change while the folder holds something else. */
export function folderDiffers(): PlatformError {
  return new PlatformError(
    'precondition_failed',
    'the folder differs from the active revision; wait until the server has read it, correct it, or send overwrite: true',
  );
}

/** Makes the error of a change while the folder takes no writes. */
export function readOnly(): PlatformError {
  return new PlatformError(problems.policies_read_only, 'the policies folder is read-only; change its source');
}

// A draft without tests keeps the existing tests, so they are not compared.
function holds(revision: Revision | undefined, path: string, { source, tests }: Draft): boolean {
  const sourceAt = (at: string): string | undefined => revision?.files.find((file) => file.path === at)?.source;
  return sourceAt(path) === source && (tests === undefined || sourceAt(testsPathOf(path)) === tests);
}
