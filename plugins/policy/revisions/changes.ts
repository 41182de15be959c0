import { expectTag, operation, PlatformError, type Log, type Store } from '../../../kernel/index.ts';
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

/** What management works with. */
export interface ChangesOptions {
  readonly engine: Engine;
  readonly watch: FolderWatch;
  readonly home: PolicyHome;
  readonly store: Store;
  readonly reads: PolicyReads;
  readonly log: Log;
}

/** How a change of what is in force is made. */
export interface ChangeOptions extends Actor {
  /** Digest the caller believes to be active; another one is refused. */
  readonly ifMatch?: string;
  /** Takes the place of a folder that differs from the active revision. */
  readonly overwrite?: boolean;
}

/** What is to be in force, said when its turn has come: of what is active then. */
export interface Wanted {
  readonly files: readonly PolicyFile[];
  /** The drafts it takes up: they are gone once it is in force. */
  readonly drafts?: readonly Draft[];
}

/** What became of a change. */
export interface Changed {
  readonly revision: Revision;
  /** Digest of what was in force before. */
  readonly previous?: string;
}

/** Changes what is in force, whole revisions at a time, one change after the other. */
export class Changes {
  readonly #options: ChangesOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** Takes files through all gates. Throws 503 `policy_compiler_unavailable`. */
  check(files: readonly PolicyFile[], more: { readonly coverage?: boolean } = {}): Promise<Built> {
    return this.#options.engine.build(gateOf(files), more);
  }

  /** Takes files as they were found, their bytes not looked at, through all gates. Throws as `check` does. */
  checkFound(found: readonly FoundFile[]): Promise<Built> {
    return this.#options.engine.build(gate(found));
  }

  /** The active files with drafts in their places; `ids`: which drafts. */
  withDrafts(drafts: readonly Draft[]): readonly PolicyFile[] {
    const files = new Map(this.#active().map((file) => [file.path, file.source]));
    for (const { id, source, tests } of drafts) {
      const path = this.pathOf(id);
      files.set(path, source);
      if (tests !== undefined) files.set(testsPathOf(path), tests);
    }
    return [...files].map(([path, source]) => ({ path, source }));
  }

  /** The path of a policy: that of the active file of this id, else the id itself. */
  pathOf(id: string): string {
    return this.#active().find(({ path }) => path.endsWith('.rego') && policyIdOf(path) === id)?.path ?? `${id}.rego`;
  }

  /**
   * Makes files the revision in force: gates, store, folder, then one assignment. One change after the other, and
   * `wanted` is asked when its turn has come: what another one has put into force meanwhile is not lost.
   */
  change(wanted: () => Wanted, options: ChangeOptions): Promise<Changed> {
    const made = this.#last.then(() => this.#undisturbed(wanted, options));
    this.#last = made.catch(() => undefined);
    return made;
  }

  /**
   * Writes a revision whose folder was not written when the process died. A folder that does not take it any more stays
   * the truth: nobody was told that the revision is in force.
   */
  async settle(): Promise<void> {
    const { reads, home, store, log } = this.#options;
    const [last, before] = reads.activations(2);
    if (last?.pending !== true) return;
    const revision = reads.revision(last.digest);
    const previous = before === undefined ? undefined : reads.revision(before.digest);
    try {
      if (revision !== undefined) await writeFolder(home.own, previous?.files ?? [], revision.files);
    } catch (error) {
      log.error({ revision: last.digest, err: error }, 'a waiting revision could not be written to its folder');
      await store.write([operation(policyStore, 'withdraw', null)]);
      return;
    }
    const drafts = reads.drafts().filter((draft) => holds(revision, this.pathOf(draft.id), draft));
    await store.write([operation(policyStore, 'settle', { drafts })]);
  }

  // The watch holds still from before the first look at the folder: what it is at could end on an older folder, later.
  async #undisturbed(wanted: () => Wanted, options: ChangeOptions): Promise<Changed> {
    const { watch } = this.#options;
    await watch.pause();
    try {
      return await this.#change(wanted, options);
    } finally {
      watch.resume();
    }
  }

  async #change(wanted: () => Wanted, options: ChangeOptions): Promise<Changed> {
    const { engine, store } = this.#options;
    const { ifMatch, overwrite = false, ...who } = options;
    const active = engine.active;
    const tag = active && `"${active.digest}"`;
    expectTag(ifMatch === undefined ? {} : { match: ifMatch }, tag, `the active revision is ${tag ?? 'none'}`);
    if (!overwrite) await this.#expectFolder(active?.digest);
    const { files, drafts = [] } = wanted();
    const { revision, diagnostics } = await this.check(files);
    if (revision === undefined) throw invalid(diagnostics);
    const changed = { revision, ...(active === undefined ? {} : { previous: active.digest }) };
    if (revision.digest === active?.digest && !overwrite) {
      await store.write([operation(policyStore, 'settle', { drafts })]);
      return changed;
    }
    // The gates take their time: what was put into the folder meanwhile is not written over.
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

  // `known`: all that may be taken away; a file that was dropped at this very moment is left for the watch.
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

// A draft without tests leaves those there are.
function holds(revision: Revision | undefined, path: string, { source, tests }: Draft): boolean {
  const sourceAt = (at: string): string | undefined => revision?.files.find((file) => file.path === at)?.source;
  return sourceAt(path) === source && (tests === undefined || sourceAt(testsPathOf(path)) === tests);
}

/** Makes the problem of policies that did not pass. */
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
  /** Paths of what is named like a policy file and cannot be one. */
  readonly strangers: readonly string[];
}

async function foundIn(folder: string): Promise<Found> {
  const snapshot = await readFolder(folder).catch(() => ({ files: [], diagnostics: [] }));
  const { files, diagnostics } = gate(snapshot.files);
  const taken = new Set(files.map(({ path }) => path));
  const refused = [...snapshot.diagnostics, ...diagnostics].flatMap(({ file = '' }) => (file === '' ? [] : [file]));
  return { files, strangers: refused.filter((path) => !taken.has(path)) };
}
