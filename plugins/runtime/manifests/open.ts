import type { Catalog } from '../catalog/catalog.ts';
import { createOrb, type Orb } from '../catalog/orb.ts';
import { createOrbiset, type Orbiset } from '../catalog/orbiset.ts';
import runtimeStore, { type RuntimeReads } from '../store.ts';
import { Shelf } from './shelf.ts';
import type { OrbisetRow, OrbRow } from '../tables/manifests.ts';
import { canonical, ConfigError, type Log, operation, type Operation, type Store } from '../../../kernel/index.ts';

/** The Orbs and Orbisets in service, of files and of the store. */
export interface Manifests {
  readonly orbs: Shelf<Orb>;
  readonly orbisets: Shelf<Orbiset>;
  /** The live view of both for plugins and the runtime. */
  readonly catalog: Catalog;
}

interface Stored {
  readonly orbs: readonly OrbRow[];
  readonly orbisets: readonly OrbisetRow[];
}

/**
 * Merges the manifests of the store with those of files. A file equal to the stored manifest takes the id over; a
 * different one is a fault, so that neither is replaced silently. Throws ConfigError. A stored Orb that this version of
 * the program cannot load is left out, and the log says why.
 */
export async function openManifests(
  files: Catalog,
  { store, log }: { readonly store: Store; readonly log: Log },
): Promise<Manifests> {
  const reads = store.reads(runtimeStore);
  const stored = await storedBy(reads);
  const faults = conflictsOf(files, stored);
  if (faults.length > 0) throw new ConfigError(faults);
  const yielded = yields(files, stored);
  if (yielded.length > 0) await store.write(yielded);
  const orbs = new Shelf(files.orbs);
  const orbisets = new Shelf(files.orbisets);
  const failed = (about: object): void =>
    log.error(about, 'a manifest in the store cannot be loaded and does not serve');
  for (const { orb_id, manifest } of stored.orbs)
    if (!orbs.isFile(orb_id)) fill(orbs, orb_id, loaded(orb_id, manifest, createOrb, failed));
  for (const { orbiset_id, manifest } of stored.orbisets)
    if (!orbisets.isFile(orbiset_id) && manifest !== null)
      fill(orbisets, orbiset_id, loaded(orbiset_id, manifest, createOrbiset, failed));
  return { orbs, orbisets, catalog: { orbs: orbs.items, orbisets: orbisets.items } };
}

/** Makes the writes that fix the manifest of a stored Orb as the only one of its id, as if a run had used it. */
export function usesOf({ orbs }: Manifests, orb_id: string, digest: string): readonly Operation[] {
  return orbs.isFile(orb_id) ? [] : [operation(runtimeStore, 'useManifest', { orb_id, digest })];
}

/** Lists the manifests of files that differ from the one put over the API under the same id. */
export async function manifestConflicts(files: Catalog, reads: StoredReads): Promise<readonly string[]> {
  return conflictsOf(files, await storedBy(reads));
}

type StoredReads = Pick<RuntimeReads, 'storedOrbs' | 'storedOrbisets'>;

async function storedBy(reads: StoredReads): Promise<Stored> {
  return { orbs: await reads.storedOrbs(), orbisets: await reads.storedOrbisets() };
}

function conflictsOf(files: Catalog, { orbs, orbisets }: Stored): readonly string[] {
  const other = orbs.filter(({ orb_id, digest }) => (files.orbs.get(orb_id)?.digest ?? digest) !== digest);
  const others = orbisets.filter(({ orbiset_id, manifest }) => {
    const file = files.orbisets.get(orbiset_id);
    return file !== undefined && manifest !== null && canonical(file) !== manifest;
  });
  const fault = (kind: string, id: string): string =>
    `${kind}/${id}.json: another manifest with this id was added through the API; remove the file, or delete the other manifest first`;
  return [
    ...other.map(({ orb_id }) => fault('orbs', orb_id)),
    ...others.map(({ orbiset_id }) => fault('orbisets', orbiset_id)),
  ];
}

// A manifest that a file defines leaves the store; the id of an Orbiset stays with its tenant when the file is removed.
function yields(files: Catalog, { orbs, orbisets }: Stored): readonly Operation[] {
  const known = new Map(orbisets.map((row) => [row.orbiset_id, row]));
  const ids = [...files.orbisets.values()].filter(({ id, tenant }) => {
    const row = known.get(id);
    return row?.tenant !== tenant || row.manifest !== null;
  });
  return [
    ...orbs
      .filter(({ orb_id }) => files.orbs.has(orb_id))
      .map(({ orb_id }) => operation(runtimeStore, 'yieldOrb', { orb_id })),
    ...ids.map(({ id, tenant }) => operation(runtimeStore, 'keepOrbisetId', { orbiset_id: id, tenant })),
  ];
}

/** Makes the item of a stored manifest; undefined, and told as `failed`, when this version cannot load it. */
export function loaded<T>(
  id: string,
  manifest: string,
  create: (value: unknown, faults: string[]) => T | undefined,
  failed: (about: object) => void,
): T | undefined {
  const faults: string[] = [];
  const item = create(JSON.parse(manifest), faults);
  if (item === undefined) failed({ id, faults });
  return item;
}

const fill = <T>(shelf: Shelf<T>, id: string, item: T | undefined): void => {
  if (item !== undefined) shelf.put(id, item);
};

/** Refuses manifests of files that differ from those that runs already used. Throws ConfigError. */
export function checkManifests({ orbs }: Catalog, used: ReadonlyMap<string, string>): void {
  const faults = [...orbs.values()]
    .filter(({ orb_id, digest }) => (used.get(orb_id) ?? digest) !== digest)
    .map(
      ({ orb_id }) => `orbs/${orb_id}.json: differs from the manifest that earlier runs used; give it a new version`,
    );
  if (faults.length > 0) throw new ConfigError(faults);
}
