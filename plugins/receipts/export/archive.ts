import { operation, type Store } from '../../../kernel/index.ts';
import type { Envelope } from '../format/envelope.ts';
import { encodeBase64 } from '../format/base64.ts';
import { verifySignature } from '../format/ed25519.ts';
import { manifestType } from '../format/names.ts';
import { parseStrict } from '../format/strict-json.ts';
import type { ReceiptFilter } from '../log/rows/filter.ts';
import { logKeys } from '../read/log-routes.ts';
import type { Serving } from '../read/serving.ts';
import receiptsStore from '../store.ts';
import { readArtefact } from '../verifier/artefact.ts';
import { checkSignature } from '../verifier/signature.ts';
import type { Trust } from '../verifier/trust.ts';
import { exportFiles } from './content.ts';
import type { ArchivedFile } from './tar.ts';

/** Receipts for plugins that put them into an archive of their own. */
export interface ReceiptArchive {
  /** Lists the files of an export, as `GET /receipts/export` does, without the tiles of the logs. */
  files(filter: ReceiptFilter, at: string): AsyncIterable<ArchivedFile>;
  /** Signs a manifest of files with the receipt key of this process. */
  sign(manifest: Uint8Array): Promise<Omit<Envelope, 'payloadType'> & { readonly payloadType: string }>;
  /** Makes the page that verifies receipts as a saved file, with the public keys in it; undefined: there are no pages. */
  page(): Promise<string | undefined>;
}

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
      return envelopeOf(manifest, signature, kid);
    },
    page,
  } satisfies ReceiptArchive);
}

/** A signed manifest that was read, or why it is not accepted. */
export type ReadSigned =
  | {
      readonly payload: Uint8Array;
      readonly kid: string;
      /** The envelope in the one form in which it is written. */
      readonly envelope: object;
    }
  | { readonly fault: string; readonly exit: 1 | 2 | 4 };

/** Reads a manifest of files that a trusted receipt key signed. A key that was revoked signs nothing that counts. */
export function readSignedManifest(text: string, trust: Trust): ReadSigned {
  const artefact = readArtefact(parseStrict(text));
  if (!('envelope' in artefact) || artefact.envelope.payloadType !== manifestType)
    return { fault: 'the manifest is not signed', exit: 2 };
  const { checks, key, signature } = checkSignature(artefact.envelope, trust, verifySignature);
  const failed = checks.find(({ result }) => result === 'fail');
  if (failed !== undefined || key === undefined || signature === undefined)
    return { fault: `the manifest: ${failed?.detail ?? ''}`, exit: failed?.name === 'key_trusted' ? 4 : 1 };
  if (key.revoked) return { fault: `the key ${key.kid}, which signed the manifest, was revoked`, exit: 4 };
  return {
    payload: artefact.envelope.payload,
    kid: key.kid,
    envelope: envelopeOf(artefact.envelope.payload, signature, key.kid),
  };
}

function envelopeOf(manifest: Uint8Array, signature: Uint8Array, kid: string) {
  const signatures = [{ keyid: kid, sig: encodeBase64(signature) }];
  return { payload: encodeBase64(manifest), payloadType: manifestType, signatures };
}
