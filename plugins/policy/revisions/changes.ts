import { expectTag, operation, PlatformError, type Awaitable, type Log, type Store } from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import type { Actor, Engine } from '../decide/engine.ts';
import { gate, type FoundFile, type Gated } from '../folder/gate.ts';
import type { PolicyHome } from '../folder/home.ts';
import { readFolder } from '../folder/read.ts';
import type { FolderWatch } from '../folder/watch.ts';
import { clearFolder, FolderReadOnly, writeFolder } from '../folder/write.ts';
import { policyIdOf, revisionDigest, testsPathOf, type PolicyFile, type Revision } from './revision.ts';
import policyStore, { type PolicyReads } from '../store.ts';
import type { Draft } from '../shapes.ts';
import type { Built } from '../toolchain/build.ts';
import { problems } from '../problems.ts';

/** Dependencies of Changes. */
export interface ChangesOptions {
  readonly engine: Engine;
  readonly watch: FolderWatch;
  readonly home: PolicyHome;
  readonly store: Store;
  readonly reads: PolicyReads;
  readonly log: Log;
}

/** Options of one change of the active revision. */
export interface ChangeOptions extends Actor {
  /** Digest that the caller expects to be active; the change is refused when another one is. */
  readonly ifMatch?: string;
  /** Replaces the folder's content even when it differs from the active revision. */
  readonly overwrite?: boolean;
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
export class Changes {
  readonly #options: ChangesOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** Checks files with all gates. Throws 503 `policy_compiler_unavailable`. */
  check(files: readonly PolicyFile[], more: { readonly coverage?: boolean } = {}): Promise<Built> {
    return this.#options.engine.build(gateOf(files), more);
  }

  /** Checks found files with unchecked bytes with all gates. Throws as `check` does. */
  checkFound(found: readonly FoundFile[]): Promise<Built> {
    return this.#options.engine.build(gate(found));
  }

  /** Returns the active files with the drafts in place of their policies. */
  withDrafts(drafts: readonly Draft[]): readonly PolicyFile[] {
    const files = new Map(this.#active().map((file) => [file.path, file.source]));
    for (const { id, source, tests } of drafts) {
      const path = this.pathOf(id);
      files.set(path, source);
      if (tests !== undefined) files.set(testsPathOf(path), tests);
    }
    return [...files].map(([path, source]) => ({ path, source }));
  }

  /** Returns the path of a policy: that of the active file with this id, else `<id>.rego`. */
  pathOf(id: string): string {
    return this.#active().find(({ path }) => path.endsWith('.rego') && policyIdOf(path) === id)?.path ?? `${id}.rego`;
  }

  /**
   * Activates files: gates, store, folder, then one assignment. Changes run one after the other; `wanted` is called
   * when the change starts, so that it does not undo the change before it.
   */
  change(wanted: () => Awaitable<Wanted>, options: ChangeOptions): Promise<Changed> {
    const made = this.#last.then(() => this.#undisturbed(wanted, options));
    this.#last = made.catch(() => undefined);
    return made;
  }

  /**
   * Writes a pending revision to its folder after a crash. When the folder cannot be written, the activation is
   * withdrawn and the folder's content stays valid: no caller was told that the revision is active.
   */
  async settle(): Promise<void> {
    const { reads, home, store, log } = this.#options;
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
    const drafts = (await reads.drafts()).filter((draft) => holds(revision, this.pathOf(draft.id), draft));
    await store.write([operation(policyStore, 'settle', { drafts })]);
  }

  // Pauses the watch before the folder is first read: a running check could later activate an older folder state.
  async #undisturbed(wanted: () => Awaitable<Wanted>, options: ChangeOptions): Promise<Changed> {
    const { watch } = this.#options;
    await watch.pause();
    try {
      return await this.#change(wanted, options);
    } finally {
      watch.resume();
    }
  }

  async #change(wanted: () => Awaitable<Wanted>, options: ChangeOptions): Promise<Changed> {
    const { engine, store } = this.#options;
    const { ifMatch, overwrite = false, ...who } = options;
    const active = engine.active;
    const tag = active && `"${active.digest}"`;
    expectTag(ifMatch === undefined ? {} : { match: ifMatch }, tag, `the active revision is ${tag ?? 'none'}`);
    if (!overwrite) await this.#expectFolder(active?.digest);
    const { files, drafts = [] } = await wanted();
    const { revision, diagnostics } = await this.check(files);
    if (revision === undefined) throw invalid(diagnostics);
    const changed = { revision, ...(active === undefined ? {} : { previous: active.digest }) };
    if (revision.digest === active?.digest && !overwrite) {
      await store.write([operation(policyStore, 'settle', { drafts })]);
      return changed;
    }
    // The gates take a while: a file added to the folder meanwhile must not be overwritten.
    if (!overwrite) await this.#expectFolder(active?.digest);
    await engine.commit(revision, { ...who, pending: true });
    await this.#write(revision.files, overwrite ? undefined : active?.files);
    await engine.serve(revision, who);
    await store.write([operation(policyStore, 'settle', { drafts })]);
    return changed;
  }

  async #expectFolder(digest: string | undefined): Promise<void> {
    const { files, strangers } = await foundIn(this.#options.home.served());
    if (strangers.length === 0 && revisionDigest(files) === digest) return;
    throw new PlatformError(
      'precondition_failed',
      'the folder differs from the active revision; wait until the server has read it, correct it, or send overwrite: true',
    );
  }

  // `known`: the only files that may be deleted; a file added at this moment is left for the watch.
  async #write(files: readonly PolicyFile[], known: readonly PolicyFile[] | undefined): Promise<void> {
    const { home, store } = this.#options;
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
      if (error instanceof FolderReadOnly)
        throw new PlatformError(problems.policies_read_only, 'the policies folder is read-only; change its source');
      throw error;
    }
  }

  #active(): readonly PolicyFile[] {
    return this.#options.engine.active?.files ?? [];
  }
}

// A draft without tests keeps the existing tests, so they are not compared.
function holds(revision: Revision | undefined, path: string, { source, tests }: Draft): boolean {
  const sourceAt = (at: string): string | undefined => revision?.files.find((file) => file.path === at)?.source;
  return sourceAt(path) === source && (tests === undefined || sourceAt(testsPathOf(path)) === tests);
}

/** Makes the problem `policy_invalid` for policies that did not pass. */
export function invalid(diagnostics: readonly Diagnostic[]): PlatformError {
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  const at = first?.file === undefined ? '' : `${first.file}:${first.line ?? 1}:${first.column ?? 1}: `;
  return new PlatformError(problems.policy_invalid, `${at}${first?.message ?? 'the policies have faults'}`, {
    diagnostics,
  });
}

function gateOf(files: readonly PolicyFile[]): Gated {
  return gate(files.map(({ path, source }) => ({ path, bytes: new TextEncoder().encode(source) })));
}

interface Found {
  readonly files: readonly PolicyFile[];
  /** Paths that are named like a policy file but were refused. */
  readonly strangers: readonly string[];
}

async function foundIn(folder: string): Promise<Found> {
  const snapshot = await readFolder(folder).catch(() => ({ files: [], diagnostics: [] }));
  const { files, diagnostics } = gate(snapshot.files);
  const taken = new Set(files.map(({ path }) => path));
  const refused = [...snapshot.diagnostics, ...diagnostics].flatMap(({ file = '' }) => (file === '' ? [] : [file]));
  return { files, strangers: refused.filter((path) => !taken.has(path)) };
}
