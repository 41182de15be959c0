import { generationsOf, patienceOf, retire } from '../provider/binding.ts';
import { createOrb } from '../catalog/orb.ts';
import { createOrbiset } from '../catalog/orbiset.ts';
import type { ServingOptions } from './change.ts';
import { loaded } from './open.ts';
import { manifestTopics } from '../tables/manifests.ts';
import { within } from '../../../kernel/index.ts';

/** What following needs. */
interface ManifestFollowOptions extends ServingOptions {
  /** Tells that the catalog has changed. */
  readonly changed: () => void;
  readonly drainMs: number;
}

// A node that learns for longer than two seconds falls silent.
const learnMs = 1500;

/** Serves on this node the Orbs and Orbisets that other nodes put, and takes out those that they remove. */
export function followManifests(options: ManifestFollowOptions): void {
  const { peers } = options.store;
  peers.follow(manifestTopics.orbs, (ids) => followOrbs(ids, options));
  peers.follow(manifestTopics.orbisets, (ids) => followOrbisets(ids, options));
}

async function followOrbs(ids: readonly string[], options: ManifestFollowOptions): Promise<void> {
  const { bindings, changed, configured, log, manifests, reads } = options;
  const stored = new Map((await reads.storedOrbs()).map((row) => [row.orb_id, row]));
  for (const id of ids.filter((one) => !manifests.orbs.isFile(one))) {
    const row = stored.get(id);
    if (row !== undefined && manifests.orbs.items.get(id)?.digest === row.digest) continue;
    takeOut(id, options);
    const orb = row && loaded(id, row.manifest, createOrb, unloaded(log));
    if (orb === undefined) continue;
    const swapped = (await reads.swappedProviders()).get(id);
    // It serves when its providers are open, or shortly before: their openings go on in the background.
    await within(learnMs, bindings.add(orb, configured(), swapped), () => undefined);
    manifests.orbs.put(id, orb);
  }
  changed();
}

// Its runs end here as they began: its providers are closed after them.
function takeOut(id: string, { bindings, drainMs, log, manifests }: ManifestFollowOptions): void {
  manifests.orbs.remove(id);
  const binding = bindings.detach(id);
  if (binding === undefined) return;
  const patience = patienceOf(binding, drainMs);
  const drained = Promise.all(generationsOf(binding).map((held) => retire(binding, held, patience)));
  drained
    .then(() => bindings.discard(binding))
    .catch((err: unknown) => log.error({ err, orb_id: id }, 'the providers of a deleted Orb could not be closed'));
}

async function followOrbisets(ids: readonly string[], options: ManifestFollowOptions): Promise<void> {
  const { changed, log, manifests, reads } = options;
  const stored = new Map((await reads.storedOrbisets()).map((row) => [row.orbiset_id, row]));
  for (const id of ids.filter((one) => !manifests.orbisets.isFile(one))) {
    const manifest = stored.get(id)?.manifest ?? undefined;
    const orbiset = manifest && loaded(id, manifest, createOrbiset, unloaded(log));
    if (orbiset === undefined || orbiset === '') manifests.orbisets.remove(id);
    else manifests.orbisets.put(id, orbiset);
  }
  changed();
}

const unloaded =
  (log: ServingOptions['log']) =>
  (about: object): void =>
    log.error(about, 'this node cannot load a manifest that another node added; it does not serve here');
