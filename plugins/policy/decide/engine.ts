import { operation, PlatformError, timestamp, type PluginScope } from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import type { Decider } from './decider.ts';
import type { Pool } from '../evaluator/pool.ts';
import { faultOf, gate, type Gated } from '../folder/gate.ts';
import type { Snapshot } from '../folder/read.ts';
import type { SharedFolder } from '../folder/shared.ts';
import { ignoresAsks, revisionDigest, type Revision } from '../revisions/revision.ts';
import type { Draft } from '../shapes.ts';
import policyStore, { type PolicyReads } from '../store.ts';
import { buildRevision, stops, type BuildOptions, type Built } from '../toolchain/build.ts';
import { withExcerpts } from '../toolchain/excerpt.ts';
import { createServing } from './serving.ts';
import { StoredRevision } from './stored-revision.ts';
import { problems } from '../problems.ts';
import { basedOnAnother, outOfTime, toldOf, wasBeaten, type Rejected } from './rejection.ts';
import { askCompiler, waysOut, type CompilerSource } from '../toolchain/source.ts';
import type { Runtime } from '../../runtime/contract.ts';

/** Who activates a revision, and why. */
export interface Actor {
  readonly actor: string;
  readonly message?: string;
  /** The revision is not yet written to the folder. */
  readonly pending?: boolean;
  /** Drafts that the revision contains. They are deleted with the activation where several nodes share the store. */
  readonly drafts?: readonly Draft[];
}

/** Dependencies of an engine. */
export interface EngineOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'store'> {
  readonly source: CompilerSource;
  readonly decider: Decider;
  readonly pool: Pool;
  /** Evaluates sample questions; separate from the pool that decides. */
  readonly trial: Pool;
  readonly reads: PolicyReads;
  readonly shipped: Revision | undefined;
  readonly runtime: Pick<Runtime, 'recording'>;
  /** The folder of one of several nodes, whose store holds the active revision; absent: the folder is the truth. */
  readonly folder?: SharedFolder | undefined;
}

/** Checks folders with the gates and activates those that pass. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #use: (revision: Revision) => Promise<void>;
  readonly #stored: StoredRevision;
  #active: Revision | undefined;
  #rejected: Rejected | undefined;
  #precompiled = false;
  #outdated = false;
  #tries = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#use = createServing(options.pool, options.decider);
    this.#stored = new StoredRevision({
      ...options,
      shared: options.folder !== undefined,
      serve: (revision) => this.#serve(revision, { compiled: false }),
    });
  }

  /** The revision that decides. */
  get active(): Revision | undefined {
    return this.#active;
  }

  /** The folder content that is not served, when it differs from the active revision. */
  get rejected(): Rejected | undefined {
    return this.#rejected;
  }

  /** Says whether the active revision decides nothing, because an earlier version compiled it without its asks. */
  get outdated(): boolean {
    return this.#outdated;
  }

  /** Says whether the active revision was compiled before this start. */
  get precompiled(): boolean {
    return this.#precompiled;
  }

  /** The revision that the store names as the active one, as far as this node has read it. */
  get stored(): string | undefined {
    return this.#stored.digest;
  }

  /** Serves the last activated revision of the store at once, after verifying its digest; or a given stored one. */
  restore(revision?: Revision): Promise<void> {
    return revision === undefined ? this.#stored.restore() : this.#serve(revision, { compiled: false });
  }

  /** Serves the revision that another node has activated. Rejects when it cannot be read. */
  async follow(): Promise<void> {
    const before = this.stored;
    await this.#stored.follow();
    if (this.stored === before) return;
    this.#options.log.info(
      { revision: this.stored },
      'this node now uses a policy revision that another node activated',
    );
  }

  /** Handles a state of the folder (`undefined`: it cannot be read); returns false when it must be reported again. */
  async take(snapshot: Snapshot | undefined): Promise<boolean> {
    if (snapshot === undefined) {
      this.#reject('folder', [faultOf('folder_unreadable', 'the policies folder cannot be read')]);
      return false;
    }
    const gated = gate(snapshot.files);
    try {
      return await this.#candidate({ ...gated, diagnostics: [...snapshot.diagnostics, ...gated.diagnostics] });
    } catch (error) {
      // The compiler did not start or the store did not write: the same folder state is tried again.
      const message =
        error instanceof PlatformError ? error.message : 'the policies folder could not be checked or activated';
      this.#options.log.error({ err: error }, message);
      this.#reject('failed', [faultOf(unavailable, message)]);
      return false;
    }
  }

  /** Checks files with all gates without activating them. Throws as `askCompiler` does. */
  build(gated: Gated, more: BuildOptions = {}): Promise<Built> {
    const { source, trial } = this.#options;
    return askCompiler(source, (compiler) => buildRevision(compiler, trial, gated, more));
  }

  /**
   * Stores a built revision as the active one; `base`: the one that it replaces. Throws 412 when another node was first.
   */
  async commit(revision: Revision, who: Actor, base?: string): Promise<void> {
    const { store, clock, folder, runtime } = this.#options;
    const { digest, files, data, policies, entrypoints, wasm } = revision;
    const { actor, message = null, pending = false, drafts = [] } = who;
    const compiled = { data, policies, entrypoints };
    const args = { digest, files, compiled, wasm, at: timestamp(clock.now()), actor, message, pending };
    const activation =
      folder === undefined
        ? operation(policyStore, 'activate', args)
        : operation(policyStore, 'activateAfter', { ...args, base: base ?? null, drafts });
    const told = { type: 'policy.activated', scope: 'policies:read', data: { revision: digest } };
    await store.write([activation, runtime.recording(told)]);
  }

  /** Stops pending retries. */
  stop(): void {
    this.#stored.stop();
  }

  /** Makes a stored revision decide from now on. */
  async serve(revision: Revision, { actor }: Actor): Promise<void> {
    // One that was compiled again has the digest of the active one: each node does that for itself.
    const again = this.#outdated && revision.digest === this.#active?.digest;
    if (this.#options.folder === undefined || again) await this.#serve(revision);
    else await this.#stored.followOwn(revision);
    this.#rejected = undefined;
    this.#precompiled = false;
    this.#options.log.info({ revision: revision.digest, actor }, 'a policy revision was activated');
  }

  async #candidate(gated: Gated): Promise<boolean> {
    const digest = revisionDigest(gated.files);
    if (stops(gated.diagnostics)) {
      this.#reject(`${digest} gated`, withExcerpts(gated.diagnostics, gated.files));
      return true;
    }
    const { shipped, reads, source, folder } = this.#options;
    const base = this.#stored.digest;
    if (digest === this.#active?.digest && !this.#outdated && (folder === undefined || digest === base))
      return this.#already(this.#active.digest);
    const state = await folder?.compare(gated.files, base);
    if (state === 'behind') return this.#bring();
    if (state === 'apart') return this.#apart(digest);
    if (digest === this.#rejected?.digest && !this.#mayPass(this.#rejected)) return true;
    const known = shipped?.digest === digest ? shipped : await reads.revision(digest);
    if (known !== undefined && !ignoresAsks(known))
      return this.#activate({ ...known, digest, files: gated.files }, { base, compiled: false });
    if (source.compiler() === undefined) {
      await this.#fallBack();
      this.#reject(digest, [faultOf(unavailable, waysOut)]);
      return true;
    }
    const { revision, diagnostics } = await this.build(gated, { urgent: true });
    if (revision === undefined) return this.#refuse(digest, diagnostics);
    return this.#activate(revision, { base, compiled: true });
  }

  async #already(active: string): Promise<boolean> {
    this.#rejected = undefined;
    await this.#options.folder?.note(active);
    return true;
  }

  // Another node has activated a revision, and this folder holds the one before.
  async #bring(): Promise<boolean> {
    this.#rejected = undefined;
    const active = this.#active;
    return (
      active === undefined || active.digest !== this.stored || (await this.#options.folder?.bring(active)) === true
    );
  }

  #apart(digest: string): boolean {
    const active = this.stored ?? 'no revision';
    this.#reject(`${digest} ${active}`, [basedOnAnother(active, this.#options.folder?.base)]);
    return true;
  }

  // A build that timed out on a busy machine is retried a few times.
  #refuse(digest: string, diagnostics: readonly Diagnostic[]): boolean {
    this.#tries = this.#rejected?.digest === digest ? this.#tries + 1 : 1;
    this.#reject(digest, diagnostics);
    return !(this.#tries < mostTries && outOfTime(diagnostics));
  }

  #mayPass({ diagnostics }: Rejected): boolean {
    return diagnostics[0]?.code === unavailable || (this.#tries < mostTries && outOfTime(diagnostics));
  }

  async #activate(revision: Revision, how: { readonly base?: string | undefined; readonly compiled: boolean }) {
    const { folder } = this.#options;
    const who = { actor: 'folder' };
    try {
      await this.commit(revision, who, how.base);
    } catch (error) {
      if (folder === undefined || !wasBeaten(error)) throw error;
      await this.#stored.follow();
      // The other node may have activated the same files.
      if (this.stored !== revision.digest) return this.#apart(revision.digest);
    }
    await this.serve(revision, who);
    await folder?.note(revision.digest);
    this.#precompiled = !how.compiled;
    return true;
  }

  // Without a compiler and without a last good revision the shipped policies serve, whatever the folder holds.
  async #fallBack(): Promise<void> {
    const { shipped } = this.#options;
    if (this.#active !== undefined || shipped === undefined) return;
    await this.#serve(shipped, { compiled: false });
  }

  async #serve(revision: Revision, { compiled = true } = {}): Promise<void> {
    if (!compiled) this.#precompiled = true;
    await this.#use(revision);
    this.#active = revision;
    this.#outdated = ignoresAsks(revision);
  }

  #reject(digest: string, diagnostics: readonly Diagnostic[]): void {
    const { clock, log } = this.#options;
    if (this.#rejected?.digest === digest) return;
    this.#rejected = { digest, at: timestamp(clock.now()), diagnostics };
    log.warn(
      { digest, faults: diagnostics.slice(0, 5).map(toldOf) },
      'the policies folder was rejected and is not active',
    );
  }
}

const unavailable = problems.policy_compiler_unavailable.code;
const mostTries = 3;
