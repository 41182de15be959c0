import { expect } from 'chai';
import { statusByStore } from '../../../../../plugins/ledger/certificate/verify-service/verify-own.ts';
import { createIssuer } from '../../../../../plugins/ledger/certificate/issue/issuer.ts';
import { statusByLists } from '../../../../../plugins/ledger/certificate/verifier/list-files.ts';
import {
  pinDidDocument,
  pinKeySet,
  pinSigner,
  type Pin,
} from '../../../../../plugins/ledger/certificate/verifier/pin.ts';
import { listCredential } from '../../../../../plugins/ledger/certificate/format/status-list.ts';
import { verifyCertificate } from '../../../../../plugins/ledger/certificate/verifier/verify.ts';
import { bytesToSign, withProof } from '../../../../../plugins/ledger/certificate/format/proof.ts';
import { createTestSigner, origin, type TestSigner } from '../signer.ts';
import { begin, orb, startWorld, type World } from '../world.ts';
import { certificateId } from '../../../../../plugins/ledger/certificate/format/certificate-url.ts';

const publicUrl = 'https://orb.example';
const did = 'did:web:orb.example';

describe('the checks of a certificate', () => {
  let world: World;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- changed as the tests like
  let credential: any;
  let signer: TestSigner;
  let pin: Pin;
  const now = begin + 86_400_000;
  const pass = () => ({ result: 'pass' }) as const;
  const failed = (
    document: unknown,
    options: { pin?: Pin; now?: number; status?: Parameters<typeof statusByLists>[0] } = {},
  ) => {
    const status = options.status === undefined ? pass : statusByLists(options.status, options.now ?? now);
    const { checks, exit } = verifyCertificate(document, { pin: options.pin ?? pin, now: options.now ?? now, status });
    return {
      exit,
      failed: checks.filter(({ result }) => result !== 'pass').map(({ name, detail }) => `${name}: ${detail}`),
    };
  };
  /** Signs anything as the issuer of an address. */
  const signed = async (document: object, url = publicUrl, by = signer) =>
    (await createIssuer(url, by).secure('2026-11-22T00:00:00Z', () => document as { '@context': string[] })).document;
  before(async () => {
    world = await startWorld({ publicUrl });
    world.holds('gold');
    await world.snapshot();
    ({ credential } = await world.certificate());
    ({ signer } = world);
    pin = pinSigner(signer.keys(), [did]);
  });
  after(() => world.stop());
  const unsigned = (): object => {
    const { proof: _, ...rest } = credential;
    return rest;
  };

  it('pass together', () => expect(failed(credential)).to.deep.equal({ exit: 0, failed: [] }));

  it('refuse a pinned key that signs for another issuer than it names', async () => {
    const other = await signed({ ...unsigned(), issuer: { id: 'did:web:other.example', name: 'x' } });
    const found = failed(other, { pin: { ...pin, dids: [did, 'did:web:other.example'] } });
    expect(found).to.deep.equal({ exit: 4, failed: ['issuer_trusted: the key is named as one of another issuer'] });
  });

  it('refuse a did:key that is another key than the one that signed', async () => {
    const theirs = createIssuer('http://x.example', createTestSigner()).identity().did;
    const document = { ...unsigned(), issuer: { id: theirs, name: 'x' } };
    const { proofValue: _, ...given } = credential.proof;
    const options = { ...given, verificationMethod: `${theirs}#${given.verificationMethod.split('#')[1]}` };
    const { signature } = await signer.sign(bytesToSign(document, options));
    const found = failed(withProof(document, options, signature), { pin: { keys: pin.keys } });
    expect(found).to.deep.equal({
      exit: 4,
      failed: ['issuer_trusted: the issuer is another key than the one that signed'],
    });
  });

  it('refuse a key that was revoked from an unknown position on, whatever else holds', () => {
    const keys = pin.keys.map((key) => ({ ...key, revoked: true }));
    expect(failed(credential, { pin: { ...pin, keys } })).to.deep.equal({
      exit: 4,
      failed: ['key_active: the key was revoked, and the certificate does not name the log from before that'],
    });
  });

  const revocations: readonly (readonly [string, number, string, boolean])[] = [
    ['the end of the log that the certificate names', 100, origin, true],
    ['a later shard', 0, origin.replace(/0$/, '1'), true],
    ['the last entry of that log', 99, origin, false],
    ['the beginning', 0, origin, false],
    ['another branch of the shard', 5000, `${origin}-0123abcd`, false],
    ['the log of another installation', 5000, `other${origin}`, false],
    ['a later shard of another installation', 0, `other${origin.replace(/0$/, '1')}`, false],
  ];
  for (const [name, index, shard, good] of revocations)
    it(`${good ? 'accept' : 'refuse'} a key that was revoked from ${name} on`, () => {
      const revoked_at = { origin: shard, index };
      const [jwk] = (signer.keySet() as { keys: object[] }).keys;
      const { keys } = pinKeySet({ keys: [{ ...jwk, status: 'revoked', revoked_at }] }) ?? { keys: [] };
      const method = { id: 'x#1', type: 'Multikey', controller: did, activeSince: { origin, index: 0 } };
      const publicKeyMultibase = credential.proof.verificationMethod.split('#')[1];
      const verificationMethod = [{ ...method, publicKeyMultibase, revokedAt: revoked_at }];
      const byDocument = pinDidDocument({ id: did, verificationMethod, assertionMethod: [] }, did)?.keys ?? [];
      const bySigner = pinSigner(
        signer.keys().map((key) => ({ ...key, status: 'revoked' as const, revoked_at })),
        [did],
      );
      for (const pinned of [keys, byDocument, bySigner.keys])
        expect(failed(credential, { pin: { dids: [did], keys: pinned } }).exit).to.equal(good ? 0 : 4);
    });

  it('take a key for revoked that has a position of its revocation, whatever its status says', () => {
    const [jwk] = (signer.keySet() as { keys: object[] }).keys;
    const revoked_at = { origin, index: 0 };
    for (const status of ['active', 'retired']) {
      const { keys } = pinKeySet({ keys: [{ ...jwk, status, revoked_at }] }) ?? { keys: [] };
      expect(failed(credential, { pin: { keys } }).exit, status).to.equal(4);
    }
  });

  it('pin no key of a DID document that is controlled by another', () => {
    const publicKeyMultibase = credential.proof.verificationMethod.split('#')[1];
    const method = { id: 'x#1', type: 'Multikey', publicKeyMultibase };
    const pinned = (controller: string) =>
      pinDidDocument({ id: did, verificationMethod: [{ ...method, controller }], assertionMethod: ['x#1'] }, did);
    expect(pinned(did)?.keys).to.have.length(1);
    expect(pinned('did:web:other.example')).to.equal(undefined);
  });

  it('refuse what is not valid yet, and what is no more', () => {
    const from = Date.parse('2026-11-22T00:00:00Z');
    expect(failed(credential, { now: from })).to.include({ exit: 0 });
    expect(failed(credential, { now: from - 1 })).to.deep.include({
      exit: 1,
      failed: ['dates: not valid before 2026-11-22T00:00:00Z'],
    });
    expect(failed(credential, { now: from + 30 * 86_400_000 - 1 })).to.include({ exit: 0 });
    expect(failed(credential, { now: from + 30 * 86_400_000 })).to.deep.include({
      exit: 1,
      failed: ['dates: expired at 2026-12-22T00:00:00Z'],
    });
  });

  it('show what a certificate says only when its proof and its issuer have passed', () => {
    const values = (document: object, dids: readonly string[]) =>
      verifyCertificate(document, { pin: { ...pin, dids }, now, status: pass }).values;
    expect(values(credential, [did])).to.include({ orb_id: orb, certification_tier: 'gold' });
    expect(values(credential, ['did:web:other.example'])).to.equal(undefined);
    expect(values({ ...credential, name: 'x' }, [did])).to.equal(undefined);
  });

  it('do not ask for the status of what nobody signed', () => {
    const asked: unknown[] = [];
    const status = (document: unknown) => (asked.push(document), pass());
    verifyCertificate({ ...credential, name: 'x' }, { pin, now, status });
    expect(asked).to.deep.equal([]);
  });

  describe('of the status', () => {
    const index = (at: 0 | 1): number => Number(credential.credentialStatus[at].statusListIndex);
    const list = (number: number, set: readonly number[] = [], issuer = did) =>
      listCredential({ publicUrl, list: number, issuer: { id: issuer, name: 'x' }, day: '2026-11-22', set });
    const both = async () => [await signed(list(1)), await signed(list(2))];

    it('pass with both lists, in any order', async () => {
      expect(failed(credential, { status: (await both()).reverse() }).exit).to.equal(0);
    });

    it('fail with a bit that is set, and not with that of another', async () => {
      const [revocation, suspension] = await both();
      const others = Array.from({ length: 50 }, (_, at) => (index(0) + at + 1) % 131_072);
      expect(failed(credential, { status: [await signed(list(1, others)), suspension] }).exit).to.equal(0);
      const revoked = await signed(list(1, [index(0)]));
      expect(failed(credential, { status: [revoked, suspension] })).to.deep.equal({
        exit: 1,
        failed: ['status: revoked'],
      });
      const suspended = await signed(list(2, [index(1)]));
      expect(failed(credential, { status: [revocation, suspended] })).to.deep.equal({
        exit: 1,
        failed: ['status: suspended'],
      });
    });

    it('are not possible with a list missing, or two of one', async () => {
      const [revocation] = await both();
      expect(failed(credential, { status: [revocation, revocation] })).to.include({ exit: 3 });
    });

    it('fail with a list of another purpose under the same address', async () => {
      const [revocation] = await both();
      const posing = await signed({ ...list(1), id: list(2).id });
      expect(failed(credential, { status: [revocation, posing] }).failed).to.deep.equal([
        'status: the status list is not one of suspension',
      ]);
    });

    it('do not trust a list of another issuer under the same key, nor of a key that was revoked', async () => {
      const [revocation] = await both();
      const other = await signed(list(2, [], 'did:web:other.example'), 'https://other.example');
      expect(failed(credential, { status: [revocation, other] }).exit).to.equal(4);
      const lists = await both();
      const [key] = pin.keys;
      const gone = { ...pin, keys: [{ ...(key as (typeof pin.keys)[number]), revoked: true }] };
      const found = failed(credential, { pin: gone, status: lists });
      expect(found.failed).to.include('status: a status list is signed by a revoked key; save it again');
    });

    it('are not possible with a list that is not valid yet', async () => {
      const [revocation] = await both();
      const early = await signed({ ...list(2), validFrom: '2026-11-23T00:00:00Z' });
      expect(failed(credential, { status: [revocation, early] })).to.deep.equal({
        exit: 3,
        failed: ['status: the status list of suspension is outdated; save it again'],
      });
    });

    it('do not trust a list that names this issuer and is signed as another', async () => {
      const [revocation] = await both();
      const posing = await signed(list(2), 'https://other.example');
      expect(failed(credential, { status: [revocation, posing] }).exit).to.equal(4);
    });

    it('fail with a list that cannot be read', async () => {
      const [revocation] = await both();
      const { credentialSubject, ...rest } = list(2);
      const broken = await signed({ ...rest, credentialSubject: { ...credentialSubject, encodedList: 'uAAAA' } });
      expect(failed(credential, { status: [revocation, broken] })).to.deep.include({
        exit: 1,
        failed: ['status: the status list of suspension cannot be read'],
      });
    });

    it('fail by the store for another text under an id that it keeps, whoever has signed it', async () => {
      const raised = { ...credential.credentialSubject, tier: 'gold', reputationScore: 100 };
      const forged = await signed({ ...unsigned(), credentialSubject: raised });
      const { checks, exit } = await world.certificates.service.verify(forged);
      expect(exit).to.equal(1);
      expect(checks.filter(({ result }) => result === 'fail')).to.deep.equal([
        { name: 'status', result: 'fail', detail: 'this installation issued another certificate of this id' },
      ]);
    });

    it('fail by the store for what it does not keep', () => {
      const status = statusByStore(undefined, now);
      expect(status(credential)).to.deep.include({ result: 'fail' });
      expect(certificateId('https://x.example/certificates/crt_01M80000000000000000000000')).to.match(/^crt_/);
      for (const odd of [
        '',
        'crt_01M80000000000000000000000',
        'https://x.example/certificates/crt_1',
        'https://x.example/certificates/',
      ])
        expect(certificateId(odd)).to.equal(undefined);
    });
  });

  it('accept here what was issued under an address of before', async () => {
    await world.stop({ keep: true });
    const moved = await startWorld({ publicUrl: 'https://new.example', after: world });
    world = moved;
    expect((await moved.certificates.service.verify(credential)).overall).to.equal('VERIFIED');
    expect(await moved.certificates.service.newest(orb)).to.deep.include({ status: 'valid', tier: 'gold' });
    // The same key under a name that was never ours.
    const foreign = await signed(
      { ...unsigned(), issuer: { id: 'did:web:x.example', name: 'x' } },
      'https://x.example',
    );
    expect((await moved.certificates.service.verify(foreign)).exit).to.equal(4);
  });
});
