import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './folder.ts';

/** The folder of the documentation, from the root of the checkout. */
export const pagesFolder = 'plugins/docs/pages';

/** Names the pages of the documentation, from the root of the checkout. */
export const pages: readonly string[] = readdirSync(join(packageDir, pagesFolder), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.md'))
  .map((name) => `${pagesFolder}/${name}`)
  .sort();

/** Names the guides that lie beside the code they are about. */
export const folderGuides: readonly string[] = [
  'plugins/kit/README.md',
  'plugins/runtime/README.md',
  'kernel/store/README.md',
  'plugins/ingestion/README.md',
  'plugins/ledger/README.md',
  'plugins/policy/README.md',
  'policies/README.md',
];
