import { join } from 'node:path';
import { packageDir } from './folder.ts';

/** Store files of the tests, below the checkout, that the bundle of a whole run holds beside those that ship. */
export const bundledStores: readonly string[] = [
  'test/helpers/stores/notes.ts',
  'test/plugins/ledger/certificate/ledger-store.ts',
];

/** Says whether the bundle holds the store of a file; without a file it ships. */
export const isBundled = (file: string | undefined): boolean =>
  file === undefined || bundledStores.some((own) => join(packageDir, own) === file);

/** Says whether a store shares classes of the checkout with its threads: one of the tests that is not in the bundle. */
export const sharesClasses = (file: string | undefined): boolean =>
  file?.startsWith(join(packageDir, 'test/')) === true && !isBundled(file);
