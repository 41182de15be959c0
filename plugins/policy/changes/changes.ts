import {
  createSerial,
  expectTag,
  given,
  operation,
  PlatformError,
  type Awaitable,
  type Store,
} from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import type { Actor, Engine } from '../decide/engine.ts';
import { foundFiles, gate, type FoundFile } from '../folder/gate.ts';
import type { PolicyHome } from '../folder/home.ts';
import type { FolderWatch } from '../folder/watch.ts';
import type { Enactment } from './enactment.ts';
import { pathOf, testsPathOf, type Revision } from '../revisions/revision.ts';
import policyStore from '../store.ts';
import type { Draft, PolicyFile } from '../shapes.ts';
import { stops } from '../toolchain/build.ts';
import { problems } from '../problems.ts';

/** Options of one change of the active revision. */
export interface ChangeOptions extends Actor {
  /** Digest that the caller expects to be active; the change is refused when another one is. */
  readonly ifMatch?: string;
  /** Replaces the folder's content even when it differs from the active revision. */
  readonly overwrite?: boolean;
  /** The wanted files are those of the folder, whatever was active. */
  readonly folder?: boolean;
}

/** The files to activate, computed from the revision that is active when the change starts. */
export interface Wanted {
  readonly files: readonly PolicyFile[];
  /** Drafts that the change contains; they are deleted once it is active. */
  readonly drafts?: readonly Draft[];
}

/** Result of a change. */
export interface Changed {
  readonly revision: Revision;
  /** Digest of the revision that was active before. */
  readonly previous?: string;
}

/** Changes the active revision, one whole revision after the other. */
export type Changes = ReturnType<typeof createChanges>;

/** Makes the changes of the active revision. */
export function createChanges(parts: ChangesOptions) {
  const { engine, home, store } = parts;
  const serial = createSerial();
  return {
    /** Checks files with all gates. Throws 503 `policy_compiler_unavailable`. */
    check: (files: readonly PolicyFile[], more: { readonly coverage?: boolean } = {}) =>
      engine.build(gate(foundFiles(files)), more),
    /** Checks found files with unchecked bytes with all gates. Throws as `check` does. */
    checkFound: (found: readonly FoundFile[]) => engine.build(gate(found)),
    /** Returns the active files with the drafts in place of their policies. */
    withDrafts(drafts: readonly Draft[]): readonly PolicyFile[] {
      const active = engine.active?.files ?? [];
      const files = new Map(active.map((file) => [file.path, file.source]));
      for (const { id, source, tests } of drafts) {
        const path = pathOf(active, id);
        files.set(path, source);
        if (tests !== undefined) files.set(testsPathOf(path), tests);
      }
      return [...files].map(([path, source]) => ({ path, source }));
    },
    /** Returns the path of a policy: that of the active file with this id, else `<id>.rego`. */
    pathOf: (id: string) => pathOf(engine.active?.files ?? [], id),
    /** Reads the files of the folder. Throws 422 `policy_invalid` when it holds one that cannot be a policy, 412 without a folder. */
    async inFolder(): Promise<readonly PolicyFile[]> {
      const { files: found, diagnostics: unread } = await home.read().catch(unreadable);
      const { files, diagnostics } = gate(found);
      if (stops([...unread, ...diagnostics])) throw invalid([...unread, ...diagnostics]);
      return files;
    },
    /**
     * Activates files: gates, store, folder, then one assignment; resolves when every node decides by them. Changes run
     * one after the other; `wanted` is called when the change starts, so that it does not undo the change before it.
     */
    async change(wanted: () => Awaitable<Wanted>, options: ChangeOptions): Promise<Changed> {
      const changed = await serial(() => undisturbed(parts, wanted, options));
      await store.peers.everywhere();
      return changed;
    },
  };
}

/** The parts that a change moves. */
export interface ChangesOptions {
  readonly engine: Engine;
  readonly watch: FolderWatch;
  readonly home: PolicyHome;
  readonly store: Store;
  readonly enactment: Enactment;
}

type Change = (parts: ChangesOptions, wanted: () => Awaitable<Wanted>, options: ChangeOptions) => Promise<Changed>;

// Pauses the watch before the folder is first read: a running check could later activate an older folder state.
const undisturbed: Change = async (parts, wanted, options) => {
  await parts.watch.pause();
  try {
    return await change(parts, wanted, options);
  } finally {
    parts.watch.resume();
  }
};

const change: Change = async ({ engine, enactment, store }, wanted, options) => {
  const { ifMatch, overwrite = false, folder = false, ...who } = options;
  await enactment.ended();
  const { active, stored } = engine;
  const tag = active && `"${active.digest}"`;
  expectTag(given({ match: ifMatch }), tag, `the active revision is ${tag ?? 'none'}`);
  const expectFolder = (): Awaitable<void> => (overwrite || folder ? undefined : enactment.expect(active));
  await expectFolder();
  const { files, drafts = [] } = await wanted();
  // They would take the place of the whole folder.
  if (drafts.length > 0 && active === undefined) throw nothingToBuildOn();
  const { revision, diagnostics } = await engine.build(gate(foundFiles(files)));
  if (revision === undefined) throw invalid(diagnostics);
  const changed = { revision, ...given({ previous: active?.digest }) };
  if (revision.digest === active?.digest && !overwrite) {
    await store.write([operation(policyStore, 'settle', { digest: revision.digest, drafts })]);
    return changed;
  }
  // The gates take a while: a file added to the folder meanwhile must not be overwritten.
  await expectFolder();
  await enactment.enact({ revision, active, stored, who, drafts, overwrite, folder });
  return changed;
};

function nothingToBuildOn(): PlatformError {
  return new PlatformError(
    'precondition_failed',
    'no policy revision is active, so drafts cannot be added to one; correct the policies folder (GET /policies/-/status lists its errors)',
  );
}

function unreadable(): never {
  throw new PlatformError('precondition_failed', 'the policies folder of this server cannot be read');
}

/** Makes the problem `policy_invalid` for policies that did not pass. */
export function invalid(diagnostics: readonly Diagnostic[]): PlatformError {
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  const at = first?.file === undefined ? '' : `${first.file}:${first.line ?? 1}:${first.column ?? 1}: `;
  return new PlatformError(problems.policy_invalid, `${at}${first?.message ?? 'the policies are invalid'}`, {
    diagnostics,
  });
}
