import {
  operation,
  PlatformError,
  timestamp,
  type Clock,
  type Log,
  type Platform,
  type Store,
} from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import { activeOf, type Decider } from './decider.ts';
import type { Pool } from '../evaluator/pool.ts';
import { gate, type Gated } from '../folder/gate.ts';
import type { Snapshot } from '../folder/read.ts';
import { revisionDigest, type Revision } from '../revisions/revision.ts';
import type { Shipped } from '../shipped.ts';
import policyStore, { type PolicyReads } from '../store.ts';
import { buildRevision, stops, type BuildOptions, type Built } from '../toolchain/build.ts';
import { withExcerpts } from '../toolchain/excerpt.ts';
import { WebAssembly } from './web-assembly.ts';
import { problems } from '../problems.ts';
import { askCompiler, waysOut, type CompilerSource } from '../toolchain/source.ts';

/** A folder that is not served, and why. */
export interface Rejected {
  readonly digest: string;
  readonly at: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Who activates a revision, and why. */
export interface Actor {
  readonly actor: string;
  readonly message?: string;
  /** The revision is not yet written to the folder. */
  readonly pending?: boolean;
}

/** Dependencies of an engine. */
export interface EngineOptions {
  readonly source: CompilerSource;
  readonly decider: Decider;
  readonly pool: Pool;
  /** Evaluates sample questions; separate from the pool that decides. */
  readonly trial: Pool;
  readonly store: Store;
  readonly reads: PolicyReads;
  readonly shipped: Shipped | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform: Pick<Platform, 'recording'>;
}

/** Checks folders with the gates and activates those that pass. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #loaded: string[] = [];
  #active: Revision | undefined;
  #rejected: Rejected | undefined;
  #precompiled = false;
  #tries = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** The revision that decides. */
  get active(): Revision | undefined {
    return this.#active;
  }

  /** The folder content that is not served, when it differs from the active revision. */
  get rejected(): Rejected | undefined {
    return this.#rejected;
  }

  /** Says whether the active revision was compiled before this start. */
  get precompiled(): boolean {
    return this.#precompiled;
  }

  /** Serves the last activated revision of the store at once, after verifying its digest. */
  async restore(): Promise<void> {
    const { reads, log } = this.#options;
    const [last] = await reads.activations(1);
    if (last === undefined) return;
    const revision = await reads.revision(last.digest);
    if (revision === undefined || revisionDigest(revision.files) !== revision.digest)
      return log.error({ revision: last.digest }, 'the stored revision does not match its digest');
    this.#precompiled = true;
    await this.#serve(revision);
  }

  /** Handles a state of the folder (`undefined`: it cannot be read); returns false when it must be reported again. */
  async take(snapshot: Snapshot | undefined): Promise<boolean> {
    if (snapshot === undefined) {
      this.#reject('folder', [fault('folder_unreadable', 'the folder cannot be read')]);
      return false;
    }
    const gated = gate(snapshot.files);
    try {
      return await this.#candidate({ ...gated, diagnostics: [...snapshot.diagnostics, ...gated.diagnostics] });
    } catch (error) {
      // The compiler did not start or the store did not write: the same folder state is tried again.
      const message = error instanceof PlatformError ? error.message : 'the folder could not be taken over';
      this.#options.log.error({ err: error }, message);
      this.#reject('failed', [fault(unavailable, message)]);
      return false;
    }
  }

  /** Checks files with all gates without activating them. Throws as `askCompiler` does. */
  build(gated: Gated, more: BuildOptions = {}): Promise<Built> {
    const { source, trial } = this.#options;
    return askCompiler(source, (compiler) => buildRevision(compiler, trial, gated, more));
  }

  /** Stores a built revision as the active one. */
  async commit(revision: Revision, who: Actor): Promise<void> {
    const { store, clock, platform } = this.#options;
    const { digest, files, data, policies, entrypoints, wasm } = revision;
    const { actor, message = null, pending = false } = who;
    const compiled = { data, policies, entrypoints };
    const args = { digest, files, compiled, wasm, at: timestamp(clock.now()), actor, message, pending };
    const told = { type: 'policy.activated', scope: 'policies:read', data: { revision: digest } };
    await store.write([operation(policyStore, 'activate', args), platform.recording(told)]);
  }

  /** Makes a stored revision decide from now on. */
  async serve(revision: Revision, { actor }: Actor): Promise<void> {
    await this.#serve(revision);
    this.#rejected = undefined;
    this.#precompiled = false;
    this.#options.log.info({ revision: revision.digest, actor }, 'a policy revision is active');
  }

  async #candidate(gated: Gated): Promise<boolean> {
    const digest = revisionDigest(gated.files);
    if (stops(gated.diagnostics)) {
      this.#reject(`${digest} gated`, withExcerpts(gated.diagnostics, gated.files));
      return true;
    }
    if (digest === this.#active?.digest) return this.#already(this.#active, gated);
    if (digest === this.#rejected?.digest && !this.#mayPass(this.#rejected)) return true;
    const { shipped, reads, source } = this.#options;
    const known = shipped?.digest === digest ? shipped : await reads.revision(digest);
    if (known !== undefined) {
      await this.#activate({ ...known, digest, files: gated.files });
      this.#precompiled = true;
      return true;
    }
    if (source.compiler() === undefined) {
      await this.#fallBack();
      this.#reject(digest, [fault(unavailable, waysOut)]);
      return true;
    }
    const { revision, diagnostics } = await this.build(gated, { urgent: true });
    if (revision === undefined) return this.#refuse(digest, diagnostics);
    await this.#activate(revision);
    this.#precompiled = false;
    return true;
  }

  // The shipped policies may be active without files, because their folder could not be read before.
  #already(active: Revision, { files }: Gated): boolean {
    this.#active = { ...active, files };
    this.#rejected = undefined;
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

  async #activate(revision: Revision): Promise<void> {
    await this.commit(revision, { actor: 'folder' });
    await this.serve(revision, { actor: 'folder' });
  }

  // Without a compiler and without a last good revision the shipped policies serve, whatever the folder holds.
  async #fallBack(): Promise<void> {
    const { shipped } = this.#options;
    if (this.#active !== undefined || shipped === undefined) return;
    this.#precompiled = true;
    await this.#serve({ ...shipped, files: [] });
  }

  async #serve(revision: Revision): Promise<void> {
    const { pool, decider } = this.#options;
    const { digest, wasm, data } = revision;
    pool.load({ revision: digest, module: await WebAssembly.compile(wasm), data: JSON.stringify(data) });
    pool.warm();
    // One assignment: a running evaluation finishes on its old revision; the pool keeps the last three loaded.
    decider.use(activeOf(digest, revision));
    this.#active = revision;
    const at = this.#loaded.indexOf(digest);
    if (at >= 0) this.#loaded.splice(at, 1);
    this.#loaded.push(digest);
    for (const old of this.#loaded.splice(0, Math.max(0, this.#loaded.length - 3))) pool.unload(old);
  }

  #reject(digest: string, diagnostics: readonly Diagnostic[]): void {
    const { clock, log } = this.#options;
    if (this.#rejected?.digest === digest) return;
    this.#rejected = { digest, at: timestamp(clock.now()), diagnostics };
    log.warn({ digest, faults: diagnostics.slice(0, 5).map(toldOf) }, 'the policies folder was not put into force');
  }
}

function fault(code: string, message: string): Diagnostic {
  return { severity: 'error', code, message };
}

const unavailable = problems.policy_compiler_unavailable.code;
const mostTries = 3;

function outOfTime(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ code }) => ['check_timeout', 'policy_timeout', 'policy_overloaded'].includes(code));
}

function toldOf({ file, line, column, code, message }: Diagnostic): string {
  const at = file === undefined ? '' : `${file}:${line ?? 0}:${column ?? 0}: `;
  return `${at}${code}: ${message.slice(0, 300)}`;
}
