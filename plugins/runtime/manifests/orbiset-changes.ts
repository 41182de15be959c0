import { orbisetOf, type Orbiset } from '../catalog/orbiset.ts';
import runtimeStore from '../store.ts';
import { digestOf, putBy, refuseFile, refuseOpen, refuseWaiting, tagOf, type ChangeOptions } from './change.ts';
import { orbisetExists } from '../tables/manifests.ts';
import { type Principal, canonical, expectTag, type Condition, operation } from '../../../kernel/index.ts';

/** Makes, changes and removes Orbisets, while runs go on: a run ends under the manifest under which it began. */
export class OrbisetChanges {
  readonly #options: ChangeOptions;

  constructor(options: ChangeOptions) {
    this.#options = options;
  }

  /** Finds an Orbiset that the caller may see: its tenant's, or any with `*`. Throws 404. */
  find(id: string, caller: Principal): Orbiset {
    return orbisetOf(this.#options.manifests.orbisets.items, id, caller);
  }

  /** Stores a new Orbiset and serves it. Throws 409 `defined_in_file`, `orbiset_exists`, `manifest_limit`. */
  create(orbiset: Orbiset, principal: Principal): Promise<void> {
    return this.#change(async () => {
      const { orbisets } = this.#options.manifests;
      const { id, tenant } = orbiset;
      const before = orbisets.items.get(id);
      // For another tenant's Orbiset the answer says only that the id is taken, as the store does for a deleted one.
      if (before?.tenant === tenant) refuseFile('orbisets', id, orbisets.isFile(id));
      if (before !== undefined) throw orbisetExists(id);
      await this.#put(orbiset, principal);
    });
  }

  /** Replaces an Orbiset of the same tenant. Throws 404, 409 `defined_in_file`, 412. */
  replace(orbiset: Orbiset, principal: Principal, condition: Condition): Promise<void> {
    return this.#change(async () => {
      this.#expect(orbiset.id, principal, condition);
      await this.#put(orbiset, principal);
    });
  }

  /** Removes an Orbiset; its id stays with its tenant. Throws 404, 409 `defined_in_file`, `runs_open`, 412. */
  remove(id: string, principal: Principal, condition: Condition): Promise<void> {
    return this.#change(async () => {
      const { log, manifests, openRuns, store } = this.#options;
      const before = this.#expect(id, principal, condition);
      await refuseWaiting({ tenant: before.tenant, orbiset_id: id }, this.#options);
      refuseOpen(id, openRuns);
      // Before the write, so that no run begins meanwhile.
      manifests.orbisets.remove(id);
      try {
        await store.write([operation(runtimeStore, 'keepOrbisetId', { orbiset_id: id, tenant: before.tenant })]);
      } catch (error) {
        manifests.orbisets.put(id, before);
        throw error;
      }
      log.info({ orbiset_id: id, principal: principal.id }, `the Orbiset ${id} was deleted`);
    });
  }

  // The other nodes learn outside the series: two nodes that waited for each other inside theirs would wait for ever.
  async #change(work: () => Promise<void>): Promise<void> {
    await this.#options.serial(work);
    await this.#options.everywhere?.();
  }

  #expect(id: string, principal: Principal, condition: Condition): Orbiset {
    const before = this.find(id, principal);
    refuseFile('orbisets', id, this.#options.manifests.orbisets.isFile(id));
    expectTag(condition, tagOf(digestOf(before)));
    return before;
  }

  async #put(orbiset: Orbiset, principal: Principal): Promise<void> {
    const { clock, log, manifests, store } = this.#options;
    const { id, tenant } = orbiset;
    const row = { orbiset_id: id, tenant, manifest: canonical(orbiset), ...putBy(principal, clock) };
    await store.write([operation(runtimeStore, 'putOrbiset', row)]);
    manifests.orbisets.put(id, orbiset);
    log.info(
      { orbiset_id: id, digest: digestOf(orbiset), principal: principal.id },
      'an Orbiset was created or changed',
    );
  }
}
