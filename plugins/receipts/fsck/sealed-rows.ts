import { checkMasterKey, createSealer, readMasterKey, type StoreView } from '../../../kernel/maintenance.ts';
import { ConfigError, type SealedRows, type Sealer, type StoreModule } from '../../../kernel/index.ts';
import type { Flaw } from './tree.ts';

/** A sealed value that a start could not use. */
type SealedFault = Pick<Flaw, 'where' | 'what'>;

/** What came of opening the sealed values of a store. */
export interface SealedReport {
  readonly faults: readonly SealedFault[];
  /** Why nothing is known of them. */
  readonly unchecked?: string;
  /** The master key is not here. Else the one that is here is not that of the store, and a start is refused. */
  readonly absent?: true;
}

/**
 * Opens every sealed value that a start opens, with the master key if it is here; never makes one. A store that another
 * key was made for is not judged by this one.
 */
export function checkSealed(
  view: StoreView,
  modules: readonly Pick<StoreModule<never>, 'opens'>[],
  place: Parameters<typeof readMasterKey>[0],
): SealedReport {
  let key: Uint8Array | undefined;
  try {
    key = readMasterKey(place);
  } catch (error) {
    return { faults: [], unchecked: faultOf(error) };
  }
  if (key === undefined) return { faults: [], unchecked: 'the master key is missing', absent: true };
  const known = view.hasTable('kernel_installation')
    ? view.prepare('SELECT installation, sealed_check FROM kernel_installation').get()
    : undefined;
  if (known === undefined) return { faults: [], unchecked: 'the store names no installation' };
  const sealer = createSealer(key, String(known['installation']));
  const opened = modules.flatMap(({ opens = [] }) => opens.flatMap((rows) => openedRows(view, rows, sealer)));
  const faults = opened.filter((one) => one !== undefined);
  const misfit = misfitOf(sealer, known['sealed_check']);
  if (misfit === undefined) return { faults };
  // Values that open show that the key is right, so that its check is what was changed.
  if (faults.length === opened.length) return { faults: [], unchecked: misfit };
  const damaged = { where: 'master key', what: 'the value by which the store knows it was changed' };
  return { faults: [damaged, ...faults] };
}

function faultOf(error: unknown): string {
  return error instanceof ConfigError ? error.faults.join('; ') : (error as Error).message;
}

function misfitOf(sealer: Sealer, check: unknown): string | undefined {
  try {
    checkMasterKey(sealer, check instanceof Uint8Array ? check : new Uint8Array());
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

function openedRows(view: StoreView, { purpose, read, rows, table, what }: SealedRows, sealer: Sealer) {
  if (!view.hasTable(table)) return [];
  return view
    .prepare(rows)
    .all()
    .map((row): SealedFault | undefined => {
      const { name, sealed } = row;
      const where = name === undefined ? what : `${what} ${String(name)}`;
      let plain: Uint8Array;
      try {
        plain = sealer.open(purpose, sealed instanceof Uint8Array ? sealed : new Uint8Array());
      } catch {
        return { where, what: 'its sealed value does not open with the master key; the server will not start' };
      }
      try {
        read?.(plain, row);
        return undefined;
      } catch {
        return { where, what: 'its sealed value belongs to another row; the server will not start' };
      } finally {
        plain.fill(0);
      }
    });
}
