import { after, createSerial, type Log } from '../../../kernel/index.ts';
import { revisionDigest, type Revision } from '../revisions/revision.ts';
import type { PolicyReads } from '../store.ts';
import { keptActivations } from '../revisions/activations.ts';

interface StoredRevisionOptions {
  readonly reads: PolicyReads;
  readonly log: Log;
  /** Several nodes share the store, where an activation is whole with its commit. */
  readonly shared: boolean;
  /** Lets a revision decide. */
  readonly serve: (revision: Revision) => Promise<void>;
}

const retryMs = 1000;

/** Reads the revision that is active in the store, also when another node has activated it. */
export class StoredRevision {
  readonly #options: StoredRevisionOptions;
  #digest: string | undefined;
  #served: string | undefined;
  readonly #serial = createSerial();
  #stopRetrying = (): void => undefined;

  constructor(options: StoredRevisionOptions) {
    this.#options = options;
  }

  /** The revision that the store names as the active one, as far as this node has read it. */
  get digest(): string | undefined {
    return this.#digest;
  }

  /**
   * Serves the active revision of the store, unless it does not match its digest. On a server alone that is the newest one
   * that is not pending: the folder may not hold a pending one.
   */
  async restore(): Promise<void> {
    const { reads, serve, shared } = this.#options;
    const last = (await reads.activations(keptActivations)).find(({ pending }) => shared || !pending);
    if (last === undefined) return;
    this.#digest = last.digest;
    const revision = await this.#read(last.digest);
    if (revision === undefined) return;
    await serve(revision);
    this.#served = last.digest;
  }

  /** Serves the active revision of the store; `built`: a revision that may be it. Rejects when it cannot be read. */
  follow(built?: Revision): Promise<void> {
    return this.#serial(() => this.#follow(built));
  }

  /**
   * Serves the revision that this node activated, or a later one of another node. Rejects as `follow` does and then
   * tries again: this node gets no notification of its own activations.
   */
  async followOwn(built: Revision): Promise<void> {
    try {
      await this.follow(built);
    } catch (error) {
      const again = (): void => void (this.#stopRetrying = after(retryMs, () => this.follow(built), again));
      again();
      throw error;
    }
  }

  /** Stops pending retries. */
  stop(): void {
    this.#stopRetrying();
  }

  async #follow(built: Revision | undefined): Promise<void> {
    const { reads, serve } = this.#options;
    const [last] = await reads.activations(1);
    if (last === undefined || (last.digest === this.#digest && last.digest === this.#served)) return;
    const revision = built?.digest === last.digest ? built : await this.#read(last.digest);
    if (revision === undefined) throw new Error(`the active revision ${last.digest} cannot be read`);
    await serve(revision);
    this.#digest = last.digest;
    this.#served = last.digest;
  }

  async #read(digest: string): Promise<Revision | undefined> {
    const { reads, log } = this.#options;
    const revision = await reads.revision(digest);
    if (revision !== undefined && revisionDigest(revision.files) === digest) return revision;
    log.error({ revision: digest }, 'the stored revision does not match its digest');
    return undefined;
  }
}
