import { operation, type Store } from '../../../kernel/index.ts';
import type { ReceiptArchive } from '../contract.ts';
import { logKeys } from '../read/log-routes.ts';
import type { Serving } from '../read/serving.ts';
import receiptsStore from '../store.ts';
import { signedManifest } from '../verifier/archive/signed-manifest.ts';
import { exportFiles } from './content.ts';

/** Makes the service. */
export function createReceiptArchive(
  { facts, keys, lists, reads, store }: Omit<Serving, 'store'> & { readonly store: Store },
  page: ReceiptArchive['page'],
): ReceiptArchive {
  return Object.freeze({
    async *files(filter, at) {
      const { installation } = store;
      const common = { reads, lists, facts, keys: keys.published, logKeys: await logKeys(reads), installation };
      yield* exportFiles({ ...common, filter, tiles: false, at });
    },
    async sign(manifest) {
      const [{ kid, signature }] = await store.write([operation(receiptsStore, 'signManifest', { manifest })]);
      return signedManifest(manifest, signature, kid);
    },
    page,
  } satisfies ReceiptArchive);
}
