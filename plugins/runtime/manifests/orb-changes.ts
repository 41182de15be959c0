import { unknownOrb } from '../catalog/unknown-orb.ts';
import type { Binding } from '../provider/binding.ts';
import { createOrb, type Orb } from '../catalog/orb.ts';
import runtimeStore from '../store.ts';
import { putBy, refuseFile, refuseOpen, refuseWaiting, tagOf, type ChangeOptions } from './change.ts';
import {
  type Principal,
  canonical,
  PlatformError,
  expectTag,
  type Condition,
  operation,
} from '../../../kernel/index.ts';

// Bytes of a manifest in canonical form.
const longest = 65_536;

/**
 * Lists why a manifest cannot be put: it would not load at the next start either. A fault is a pointer, a colon and what
 * to do.
 */
export function orbFaults(manifest: object): readonly string[] {
  const faults: string[] = [];
  load(manifest, faults);
  return faults;
}

/** Makes the Orb that a manifest declares, by the same checks as a file. Throws 422 `invalid_body`. */
export function orbOf(manifest: object, orb_id?: string): Orb {
  const faults: string[] = [];
  const orb = load(manifest, faults);
  if (orb !== undefined && orb_id !== undefined && orb.orb_id !== orb_id)
    faults.push(`/orb_id: must be ${orb_id}, as in the path`);
  if (orb !== undefined && faults.length === 0) return orb;
  const errors = faults.map((fault) => {
    const end = fault.indexOf(': ');
    return { pointer: `#${fault.slice(0, end)}`, detail: fault.slice(end + 2) };
  });
  throw new PlatformError('invalid_body', 'the manifest cannot be loaded; see errors', { errors });
}

function load(manifest: object, faults: string[]): Orb | undefined {
  const bytes = Buffer.byteLength(canonical(manifest));
  if (bytes <= longest) return createOrb(manifest, faults);
  faults.push(`: the manifest has ${bytes} bytes; the limit is ${longest}`);
  return undefined;
}

/** Puts Orbs into service and takes them out, while runs go on. */
export class OrbChanges {
  readonly #options: ChangeOptions;

  constructor(options: ChangeOptions) {
    this.#options = options;
  }

  /**
   * Stores an Orb and serves it; returns false when it was there already. An Orb that was never used is replaced.
   * Throws 409 `defined_in_file`, `manifest_used`, `runs_open`, `swap_in_progress`, `manifest_limit`, 412.
   */
  async put(orb: Orb, principal: Principal, condition: Condition): Promise<boolean> {
    const { bindings, everywhere, serial } = this.#options;
    const isNew = await serial(() => this.#put(orb, principal, condition));
    // Who put it runs it next. Other changes do not wait for a provider that opens slowly.
    await Promise.all([everywhere?.(), bindings.opened(orb.orb_id)]);
    return isNew;
  }

  /** Takes an Orb out of service. Its id stays with the manifest under which it was used. Throws as `put`, and 404. */
  async remove(orbId: string, principal: Principal, condition: Condition): Promise<void> {
    await this.#options.serial(() => this.#remove(orbId, principal, condition));
    await this.#options.everywhere?.();
  }

  async #put(orb: Orb, principal: Principal, condition: Condition): Promise<boolean> {
    const { bindings, clock, configured, log, manifests, reads, store } = this.#options;
    const { orb_id, digest, manifest } = orb;
    const before = this.#expect(orb_id, condition);
    if (before?.digest === digest) return false;
    const used = await reads.usedDigest(orb_id);
    const detail = `${orb_id} was used with the manifest ${used}; give this one a new version`;
    if (used !== undefined && used !== digest) throw new PlatformError('manifest_used', detail);
    const row = { orb_id, digest, manifest: canonical(manifest), ...putBy(principal, clock) };
    await this.#instead(before, () => store.write([operation(runtimeStore, 'putOrb', row)]));
    const swapped = (await reads.swappedProviders()).get(orb_id);
    await bindings.add(orb, configured(), swapped);
    manifests.orbs.put(orb_id, orb);
    log.info({ orb_id, digest, principal: principal.id }, `the Orb ${orb_id} was added or changed`);
    return before === undefined;
  }

  async #remove(orbId: string, principal: Principal, condition: Condition): Promise<void> {
    const before = this.#expect(orbId, condition);
    if (before === undefined) throw unknownOrb(orbId, this.#options.manifests.orbs.items.keys());
    const { log, store } = this.#options;
    await this.#instead(before, () => store.write([operation(runtimeStore, 'deleteOrb', { orb_id: orbId })]));
    log.info({ orb_id: orbId, principal: principal.id }, `the Orb ${orbId} was deleted`);
  }

  #expect(orbId: string, condition: Condition): Orb | undefined {
    const { orbs } = this.#options.manifests;
    refuseFile('orbs', orbId, orbs.isFile(orbId));
    const before = orbs.items.get(orbId);
    expectTag(condition, before === undefined ? undefined : tagOf(before.digest));
    return before;
  }

  // The Orb leaves service before the write, so that no run begins under a manifest that is being removed; it returns
  // if the write fails.
  async #instead(before: Orb | undefined, write: () => Promise<unknown>): Promise<void> {
    const { bindings, manifests } = this.#options;
    if (before === undefined) return void (await write());
    await refuseWaiting({ orb_id: before.orb_id }, this.#options);
    const binding = this.#takeOut(before);
    try {
      await write();
    } catch (error) {
      if (binding !== undefined) bindings.attach(binding);
      manifests.orbs.put(before.orb_id, before);
      throw error;
    }
    if (binding !== undefined) await bindings.discard(binding);
  }

  #takeOut(orb: Orb): Binding | undefined {
    const { bindings, manifests, openRuns } = this.#options;
    refuseOpen(orb.orb_id, openRuns);
    const swap = bindings.find(orb.orb_id)?.swap;
    if (swap !== undefined) {
      const { swap_id, state } = swap;
      const detail = `the swap ${swap_id} is ${state}; wait until it ends`;
      throw new PlatformError('swap_in_progress', detail, { swap_id, retry_after: 1 });
    }
    manifests.orbs.remove(orb.orb_id);
    return bindings.detach(orb.orb_id);
  }
}
