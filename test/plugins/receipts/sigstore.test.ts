import { bundleFromJSON } from '@sigstore/bundle';
import { HashAlgorithm, PublicKeyDetails, TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier, type TrustMaterial } from '@sigstore/verify';
import { expect } from 'chai';
import type { Reply } from '../../../kernel/index.ts';
import type { KeySet } from '../../../plugins/receipts/format/jwk.ts';
import { keyDigest } from '../../../plugins/receipts/log/pure/note.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from './harness.ts';

const admin = { tenant: 'default', scopes: ['*'] };
const spki = (key: KeySet['keys'][number]): Buffer =>
  Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(key.x, 'base64url')]);

type Tree = Record<string, unknown>;

describe('a library that is not ours (npm: @sigstore/verify) and the Sigstore form of a receipt', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let keys: readonly KeySet['keys'][number][];

  before(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
    ({ keys } = ((await receipts.call('/.well-known/jwks.json', {})) as Reply).body as KeySet);
  });
  after(async () => {
    await receipts.stop();
    dir.remove();
  });

  const find = (role: string): KeySet['keys'][number] =>
    keys.find((key) => key.role === role) ?? expect.fail(`no key for ${role}`);

  /** A root that trusts our log alone; `change` replaces members of its one log. */
  function trusting(change: Tree = {}, receiptKey = find('receipt')): TrustMaterial {
    const log = find('log');
    const origin = log.origin ?? '';
    const keyId = Buffer.from(keyDigest(origin, Buffer.from(log.x, 'base64url')));
    const root = TrustedRoot.fromJSON({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [
        {
          baseUrl: `https://${origin}`,
          hashAlgorithm: HashAlgorithm[HashAlgorithm.SHA2_256],
          publicKey: {
            rawBytes: spki(log).toString('base64'),
            keyDetails: PublicKeyDetails[PublicKeyDetails.PKIX_ED25519],
            validFor: { start: '1970-01-01T00:00:00Z' },
          },
          logId: { keyId: keyId.toString('base64') },
          ...change,
        },
      ],
      certificateAuthorities: [],
      ctlogs: [],
      timestampAuthorities: [],
    });
    const rawBytes = spki(receiptKey);
    return toTrustMaterial(root, {
      [find('receipt').kid]: { rawBytes, keyDetails: PublicKeyDetails.PKIX_ED25519 },
    });
  }

  const accepts = (bundle: Tree, trust = trusting()): void => {
    const verifier = new Verifier(trust, { tlogThreshold: 1, ctlogThreshold: 0, timestampThreshold: 0 });
    verifier.verify(toSignedEntity(bundleFromJSON(bundle)));
  };

  async function bundles(count: number): Promise<Tree[]> {
    const made = await Promise.all(Array.from({ length: count }, () => receipts.attest(newRun())));
    return Promise.all(
      made.map(async ({ receipt_id: id }) => {
        const answer = await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin, { format: 'sigstore' });
        // As it crosses the wire.
        return JSON.parse(JSON.stringify((answer as Reply).body)) as Tree;
      }),
    );
  }

  it('accepts it unchanged, at sizes around the edge of a tile', async () => {
    for (const count of [1, 6, 240, 8, 1, 1]) {
      const made = await bundles(count);
      for (const bundle of [made[0], made.at(-1)]) accepts(bundle ?? expect.fail('no bundle'));
    }
  }).timeout(60_000);

  it('refuses it tampered: content, signature, entry, index, path, checkpoint', async () => {
    const [whole = {}] = await bundles(1);
    accepts(whole);
    const flip = (text: unknown, at = 10): string => {
      const bytes = Buffer.from(String(text), 'base64');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes.toString('base64');
    };
    interface Parts {
      readonly envelope: { payload: string; signatures: { sig: string }[] };
      readonly entry: { canonicalizedBody: string; logIndex: string };
      readonly proof: { logIndex: string; hashes: string[]; checkpoint: { envelope: string } };
    }
    const changes: Readonly<Record<string, (parts: Parts) => void>> = {
      payload: ({ envelope }) => void (envelope.payload = flip(envelope.payload)),
      signature: ({ envelope: { signatures } }) => signatures.forEach((one) => (one.sig = flip(one.sig))),
      entry: ({ entry }) => void (entry.canonicalizedBody = flip(entry.canonicalizedBody, 300)),
      index: ({ proof }) => void (proof.logIndex = '3'),
      path: ({ proof }) => void proof.hashes.reverse(),
      hash: ({ proof }) => void (proof.hashes[0] = flip(proof.hashes[0])),
      size: ({ proof }) => void (proof.checkpoint.envelope = proof.checkpoint.envelope.replace(/\n\d+\n/, '\n9\n')),
      note: ({ proof }) =>
        void (proof.checkpoint.envelope = proof.checkpoint.envelope.replace(/(\S{8})\n$/, 'AAAAAAA=\n')),
    };
    for (const [name, change] of Object.entries(changes)) {
      const bundle = structuredClone(whole) as {
        dsseEnvelope: Parts['envelope'];
        verificationMaterial: { tlogEntries: (Parts['entry'] & { inclusionProof: Parts['proof'] })[] };
      };
      const [entry = expect.fail('no entry')] = bundle.verificationMaterial.tlogEntries;
      change({ envelope: bundle.dsseEnvelope, entry, proof: entry.inclusionProof });
      expect(() => accepts(bundle), name).to.throw();
    }
  }).timeout(60_000);

  it('refuses it under another log, another key, or without its log', async () => {
    const [bundle = {}] = await bundles(1);
    expect(() => accepts(bundle, trusting({ baseUrl: 'https://elsewhere.example' }))).to.throw(/checkpoint signature/);
    expect(() => accepts(bundle, trusting({}, find('log')))).to.throw();
    const material = { ...(bundle['verificationMaterial'] as Tree), tlogEntries: [] };
    expect(() => accepts({ ...bundle, verificationMaterial: material })).to.throw();
  }).timeout(60_000);
});
