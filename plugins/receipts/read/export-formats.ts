import { decodeBase64, encodeBase64 } from '../format/base64.ts';
import type { Envelope, LogProofDocument } from '../contract.ts';
import { readCheckpoint, keyDigest } from '../log/pure/note.ts';
import { formatProof } from '../log/pure/proof-file.ts';

/** Writes the proof of a receipt as a `.tlog-proof` file. */
export function proofFileOf({ checkpoint, hashes, index }: LogProofDocument): string {
  return formatProof({
    index: BigInt(index),
    hashes: hashes.map((hash) => decodeBase64(hash) ?? new Uint8Array()),
    checkpoint,
  });
}

/** Media type of the bundle. */
const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/**
 * Converts a receipt to a Sigstore bundle v0.3. `logKey`: the public key of the log (32 bytes), which gives the id.
 * Verify it with a trusted root whose log has this id, this key, and the base URL `https://<origin>`.
 */
export function bundleOf(envelope: Envelope, proof: LogProofDocument, logKey: Uint8Array): object {
  const checkpoint = readCheckpoint(proof.checkpoint)?.checkpoint;
  const index = String(proof.index);
  return {
    mediaType: bundleType,
    verificationMaterial: {
      publicKey: { hint: envelope.signatures[0]?.keyid ?? '' },
      tlogEntries: [
        {
          logIndex: index,
          logId: { keyId: encodeBase64(keyDigest(proof.origin, logKey)) },
          kindVersion: { kind: 'dsse', version: '0.0.2' },
          inclusionProof: {
            logIndex: index,
            rootHash: encodeBase64(checkpoint?.root ?? new Uint8Array()),
            treeSize: String(proof.tree_size),
            hashes: proof.hashes,
            checkpoint: { envelope: proof.checkpoint },
          },
          canonicalizedBody: proof.leaf,
        },
      ],
    },
    dsseEnvelope: envelope,
  };
}
