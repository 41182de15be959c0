import { operation, PlatformError, type Store } from '../../kernel/index.ts';
import type { Diagnostic } from './contract.ts';
import { CompilerUnavailable, type Actor, type Engine } from './engine.ts';
import { gate, type Gated } from './folder/gate.ts';
import type { PolicyHome } from './folder/home.ts';
import { readFolder } from './folder/read.ts';
import type { FolderWatch } from './folder/watch.ts';
import { FolderReadOnly, writeFolder } from './folder/write.ts';
import { policyIdOf, revisionDigest, type PolicyFile, type Revision } from './revision.ts';
import policyStore, { type Draft, type PolicyReads } from './store.ts';
import type { Built } from './toolchain/build.ts';
import { CompilerFault } from './toolchain/compiler.ts';

/** What management works with. */
export interface ChangesOptions {
  readonly engine: Engine;
  readonly watch: FolderWatch;
  readonly home: PolicyHome;
  readonly store: Store;
  readonly reads: PolicyReads;
}

/** How a change of what is in force is made. */
export interface ChangeOptions extends Actor {
  /** Digest the caller believes to be active; another one is refused. */
  readonly ifMatch?: string;
  /** Takes the place of a folder that differs from the active revision. */
  readonly overwrite?: boolean;
  /** Ids of the drafts it takes up: they are gone once it is in force. */
  readonly drafts?: readonly string[];
}

/** Changes what is in force, whole revisions at a time, one change after the other. */
export class Changes {
  readonly #options: ChangesOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** Takes files through all gates. Throws 503 `policy_compiler_unavailable`. */
  async check(files: readonly PolicyFile[], more: { readonly coverage?: boolean } = {}): Promise<Built> {
    return this.#build(gateOf(files), more);
  }

  /** The active files with drafts in their places; `ids`: which drafts. */
  withDrafts(drafts: readonly Draft[]): readonly PolicyFile[] {
    const files = new Map(this.#active().map((file) => [file.path, file.source]));
    for (const { id, source, tests } of drafts) {
      const path = this.pathOf(id);
      files.set(path, source);
      if (tests !== undefined) files.set(path.replace(/\.rego$/, '_test.rego'), tests);
    }
    return [...files].map(([path, source]) => ({ path, source }));
  }

  /** The path of a policy: that of the active file of this id, else the id itself. */
  pathOf(id: string): string {
    return this.#active().find(({ path }) => path.endsWith('.rego') && policyIdOf(path) === id)?.path ?? `${id}.rego`;
  }

  /** Makes files the revision in force: gates, store, folder, then one assignment. Answers what was built. */
  change(files: readonly PolicyFile[], options: ChangeOptions): Promise<Revision> {
    const made = this.#last.then(() => this.#change(files, options));
    this.#last = made.catch(() => undefined);
    return made;
  }

  /** Writes a revision that was in force when the process died into the folder. */
  async settle(): Promise<void> {
    const { reads, home, store } = this.#options;
    const [last, before] = reads.activations(2);
    if (last?.pending !== true) return;
    const revision = reads.revision(last.digest);
    const previous = before === undefined ? undefined : reads.revision(before.digest);
    if (revision !== undefined) await writeFolder(home.own, previous?.files ?? [], revision.files);
    const taken = reads.drafts().filter(({ id, source }) => sourceOf(revision, this.pathOf(id)) === source);
    await store.write([operation(policyStore, 'settle', { drafts: taken.map(({ id }) => id) })]);
  }

  async #change(files: readonly PolicyFile[], options: ChangeOptions): Promise<Revision> {
    const { engine, watch, store } = this.#options;
    const { ifMatch, overwrite = false, drafts = [], ...who } = options;
    const active = engine.active;
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== `"${active?.digest ?? ''}"`)
      throw new PlatformError('precondition_failed', `the active revision is ${active?.digest ?? 'none'}`);
    if (!overwrite && (await this.#folderDigest()) !== active?.digest)
      throw new PlatformError(
        'precondition_failed',
        'the folder differs from the active revision; wait until it is taken over, mend it, or send overwrite: true',
      );
    const { revision, diagnostics } = await this.check(files);
    if (revision === undefined) throw invalid(diagnostics);
    if (revision.digest === active?.digest && !overwrite) return revision;
    watch.pause();
    try {
      await engine.commit(revision, { ...who, pending: true });
      await this.#write(revision.files);
      await engine.serve(revision, who);
      await store.write([operation(policyStore, 'settle', { drafts })]);
    } finally {
      watch.resume();
    }
    return revision;
  }

  async #write(files: readonly PolicyFile[]): Promise<void> {
    const { home, store } = this.#options;
    try {
      await writeFolder(home.own, await policyFilesIn(home.own), files);
    } catch (error) {
      await store.write([operation(policyStore, 'withdraw', null)]);
      if (error instanceof FolderReadOnly)
        throw new PlatformError(
          'policies_read_only',
          'the policies folder is read-only; change it where it comes from',
        );
      throw error;
    }
  }

  async #folderDigest(): Promise<string | undefined> {
    try {
      return revisionDigest(await policyFilesIn(this.#options.home.served()));
    } catch {
      return undefined;
    }
  }

  async #build(gated: Gated, more: { readonly coverage?: boolean }): Promise<Built> {
    try {
      return await this.#options.engine.build(gated, more);
    } catch (error) {
      if (!(error instanceof CompilerUnavailable) && !(error instanceof CompilerFault)) throw error;
      throw new PlatformError('policy_compiler_unavailable', error.message, { retry_after: 10 });
    }
  }

  #active(): readonly PolicyFile[] {
    return this.#options.engine.active?.files ?? [];
  }
}

function sourceOf(revision: Revision | undefined, path: string): string | undefined {
  return revision?.files.find((file) => file.path === path)?.source;
}

/** Makes the problem of policies that did not pass. */
export function invalid(diagnostics: readonly Diagnostic[]): PlatformError {
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  const at = first?.file === undefined ? '' : `${first.file}:${first.line ?? 1}:${first.column ?? 1}: `;
  return new PlatformError('policy_invalid', `${at}${first?.message ?? 'the policies have faults'}`, { diagnostics });
}

function gateOf(files: readonly PolicyFile[]): Gated {
  return gate(files.map(({ path, source }) => ({ path, bytes: new TextEncoder().encode(source) })));
}

async function policyFilesIn(folder: string): Promise<readonly PolicyFile[]> {
  return gate((await readFolder(folder).catch(() => ({ files: [] }))).files).files;
}
