import { expect } from 'chai';
import type { Position } from '../../../../../plugins/receipts/contract.ts';
import { createIssuer } from '../../../../../plugins/ledger/certificate/issue/issuer.ts';
import { didDocument, identityOf } from '../../../../../plugins/ledger/certificate/format/did.ts';
import {
  pinDidDocument,
  pinKeySet,
  pinSigner,
  type Pin,
} from '../../../../../plugins/ledger/certificate/verifier/pin.ts';
import { verifyCertificate } from '../../../../../plugins/ledger/certificate/verifier/verify.ts';
import { createTestSigner, type TestSigner } from '../signer.ts';
import { begin, startWorld, type World } from '../world.ts';

const publicUrl = 'https://orb.example';
const did = 'did:web:orb.example';
const log = 'ins_01M6B1YQ000000000000000001.orb/receipts';
/** A position in one of three shards, which nodes write at the same time. */
const at = (shard: 'a' | 'b' | 'c', index: number): Position => ({
  origin: `${log}/${{ a: '0-aaaaaaaa', b: '1-bbbbbbbb', c: '2-cccccccc' }[shard]}`,
  index,
});

interface Case {
  readonly name: string;
  /** Where the key that signed, and other keys, were announced. */
  readonly since: Position;
  readonly others?: readonly Position[];
  /** Shard and size that the certificate names. */
  readonly named: Position;
  readonly revoked_at?: Position;
  readonly stands?: readonly Position[];
  readonly exit: 0 | 4;
}

const cases: readonly Case[] = [
  {
    name: 'a key that was replaced in a shard with a lower number',
    ...{ since: at('a', 2), others: [at('a', 5000)], named: at('c', 40), exit: 0 },
  },
  {
    name: 'a new key, though one before it was announced in the shard that the certificate names',
    ...{ since: at('a', 6000), others: [at('a', 2), at('c', 5)], named: at('c', 40), exit: 0 },
  },
  {
    name: 'a key that was replaced in the shard that the certificate names, after what it names',
    ...{ since: at('c', 5), others: [at('c', 40)], named: at('c', 40), exit: 0 },
  },
  {
    name: 'a key that was replaced within what the certificate names',
    ...{ since: at('c', 5), others: [at('c', 39)], named: at('c', 40), exit: 4 },
  },
  {
    name: 'a key that is revoked in one shard, within what stands in another',
    ...{ since: at('a', 2), named: at('c', 40), revoked_at: at('a', 5000), stands: [at('b', 7), at('c', 40)], exit: 0 },
  },
  {
    name: 'a key that is revoked in one shard, beyond what stands in another',
    ...{ since: at('a', 2), named: at('c', 41), revoked_at: at('a', 5000), stands: [at('b', 7), at('c', 40)], exit: 4 },
  },
  {
    name: 'a key that is revoked in a shard with a higher number, beyond what stands in another',
    ...{ since: at('a', 2), named: at('b', 8), revoked_at: at('c', 50), stands: [at('b', 7)], exit: 4 },
  },
  {
    name: 'a key that is revoked in one shard, where it is not known what stands in others',
    ...{ since: at('a', 2), named: at('c', 40), revoked_at: at('a', 5000), exit: 4 },
  },
];

describe('a certificate, where shards of the log grow at the same time', () => {
  let world: World;
  let document: { credentialSubject: { receiptLog: object } };

  before(async () => {
    world = await startWorld({ publicUrl });
    world.holds('gold');
    await world.snapshot();
    const { credential } = (await world.certificate()) as { credential: typeof document & { proof: object } };
    const { proof: _, ...unsigned } = credential;
    document = unsigned;
  });
  after(() => world.stop());

  /** Makes the keys of a case: the one that signs is the first. */
  const signerOf = ({ since, others = [], revoked_at, stands }: Case) => {
    const own = createTestSigner();
    const [signing] = own.keys();
    const status = revoked_at === undefined ? 'active' : 'revoked';
    const change = { since, status, ...(revoked_at && { revoked_at }), ...(stands && { stands }) } as const;
    const theirs = others.flatMap((place) =>
      createTestSigner()
        .keys()
        .map((key) => ({ ...key, since: place, status: 'retired' as const })),
    );
    const keys = [...(signing === undefined ? [] : [{ ...signing, ...change }]), ...theirs];
    return { own, keys };
  };

  const pinsOf = (keys: ReturnType<TestSigner['keys']>): Readonly<Record<string, Pin | undefined>> => {
    const [first] = keys;
    const jwks = keys.map(({ public_key, ...key }) => ({
      ...{ kty: 'OKP', crv: 'Ed25519', role: 'certificate', x: Buffer.from(public_key).toString('base64url') },
      ...key,
    }));
    return {
      'the published keys': pinKeySet(JSON.parse(JSON.stringify({ keys: jwks }))),
      'the keys of the server': pinSigner(keys, [did]),
      'the document of the issuer':
        first && pinDidDocument(didDocument(publicUrl, identityOf(publicUrl, first), keys), did),
    };
  };

  for (const one of cases)
    it(`is ${one.exit === 0 ? 'accepted' : 'refused'} by ${one.name}`, async () => {
      const { keys, own } = signerOf(one);
      const receiptLog = { origin: one.named.origin, treeSize: one.named.index, rootHash: 'A'.repeat(43) + '=' };
      const unsigned = { ...document, credentialSubject: { ...document.credentialSubject, receiptLog } };
      const issuer = createIssuer(publicUrl, own);
      const made = await issuer.secure('2026-11-22T00:00:00Z', () => unsigned as never);
      for (const [name, pin] of Object.entries(pinsOf(keys))) {
        const options = { pin, now: begin + 86_400_000, status: () => ({ result: 'pass' }) as const };
        const { checks, exit } = verifyCertificate(made.document, options);
        const failed = checks.filter(({ result }) => result !== 'pass').map((check) => check.name as string);
        expect([exit, failed], name).to.deep.equal([one.exit, one.exit === 0 ? [] : ['key_active']]);
      }
    });
});
