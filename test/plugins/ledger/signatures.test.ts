import { expect } from 'chai';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonical } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { NamespaceGrant } from '../../../plugins/ledger/contract.ts';
import { verifiesManifest as verifies } from '../../../plugins/ledger/manifest-signature.ts';
import { Signatures, type SignatureOptions } from '../../../plugins/ledger/signatures.ts';
import { manifestKeyOf, signManifest } from '../../../plugins/marketplace/publish/manifest-signature.ts';
import { startMarket, type Market } from './market.ts';

const orbId = 'demo.echo@1.0.0';
const pair = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');

describe('the signature of a manifest', function () {
  this.timeout(60_000);
  const manifest = { orb_id: orbId, title: 'Echo' };
  const text = canonical(manifest);
  const key = manifestKeyOf(pair.privateKey);
  const envelope = signManifest(manifest as never, pair.privateKey);
  const [signature] = envelope.signatures;

  it('verifies under its key alone, over this manifest alone, as the type it names', () => {
    expect(verifies(envelope, text, key)).to.equal(true);
    expect(verifies(envelope, text, manifestKeyOf(other.privateKey))).to.equal(false);
    expect(verifies(envelope, canonical({ ...manifest, title: 'Echo!' }), key)).to.equal(false);
    expect(verifies({ ...envelope, payloadType: 'application/json' }, text, key)).to.equal(false);
    expect(verifies({ ...envelope, payload: Buffer.from('{}').toString('base64') }, text, key)).to.equal(false);
    expect(verifies({ ...envelope, signatures: [] }, text, key)).to.equal(false);
    expect(verifies({ ...envelope, signatures: [{ sig: 'AAAA' }] }, text, key)).to.equal(false);
    expect(verifies(envelope, text, { kty: 'OKP', crv: 'Ed25519', x: 'no key' })).to.equal(false);
  });

  it('a signature made for another type of text is none', () => {
    const type = 'application/json';
    const pae = Buffer.from(`DSSEv1 ${type.length} ${type} ${Buffer.byteLength(text)} ${text}`);
    const sig = sign(null, pae, pair.privateKey).toString('base64');
    expect(verifies({ ...envelope, payloadType: type, signatures: [{ sig }] }, text, key)).to.equal(false);
  });

  it('one valid signature among several is enough, and the id of a key is a hint only', () => {
    const several = [{ sig: 'AAAA' }, { keyid: 'another', sig: signature?.sig ?? '' }];
    expect(verifies({ ...envelope, signatures: several }, text, key)).to.equal(true);
  });

  describe('by the grant of its namespace', () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-granted-'));
    before(() => mkdirSync(join(home, 'data', 'orbs'), { recursive: true }));
    after(() => rmSync(home, { recursive: true }));
    const file = (envelope: object): void =>
      writeFileSync(join(home, 'data', 'orbs', `${orbId}.sig`), JSON.stringify(envelope));
    const by = ({ privateKey }: typeof pair) => signManifest(manifest as never, privateKey);
    const granted: NamespaceGrant = {
      ...{ namespace: 'demo', state: 'granted', owner: { tenant: 'default' }, manifest_key: key },
    } as NamespaceGrant;
    const opened = async (kept: object, grantOf: SignatureOptions['grantOf'] = () => granted): Promise<Signatures> => {
      const signatures = new Signatures({
        // Of an Orb no more than that; nothing is written here.
        orbs: new Map([[orbId, { manifest, namespace: 'demo', digest: 'sha256:0' }]]) as never,
        store: {} as SignatureOptions['store'],
        ...{ home, log: silentLog, kept: new Map([[orbId, JSON.stringify(kept)]]), grantOf },
      });
      await signatures.open();
      return signatures;
    };

    it('counts no more once the namespace is revoked, though its key is still known', async () => {
      let grant: NamespaceGrant | undefined = granted;
      const signatures = await opened(by(pair), () => grant);
      expect(signatures.isSigned(orbId)).to.equal(true);
      for (const changed of [{ ...granted, state: 'revoked' as const }, undefined]) {
        grant = changed;
        signatures.forget();
        expect(signatures.isSigned(orbId)).to.equal(false);
        grant = granted;
        signatures.forget();
        expect(signatures.isSigned(orbId)).to.equal(true);
      }
    });

    it('is shown from the file before the one that was sent, and a valid one before either', async () => {
      const shown = async (filed: object, kept: object) => {
        file(filed);
        return (await opened(kept)).manifest(orbId);
      };
      const [valid, wrong] = [by(pair), by(other)];
      const again = { ...valid, signatures: [...valid.signatures, ...wrong.signatures] };
      expect(await shown(valid, again)).to.deep.include({ signature: valid, signed: true });
      expect(await shown(again, valid)).to.deep.include({ signature: again, signed: true });
      expect(await shown(wrong, valid)).to.deep.include({ signature: valid, signed: true });
      expect(await shown(wrong, { ...wrong, signatures: [] })).to.deep.include({ signature: wrong, signed: false });
    });
  });

  describe('in an installation', () => {
    let market: Market;
    const home = mkdtempSync(join(tmpdir(), 'orb-signed-'));
    before(async () => {
      mkdirSync(join(home, 'data', 'orbs'), { recursive: true });
      market = await startMarket({ home });
    });
    after(() => market.platform.stop());

    const grant = async (manifest_key: object | undefined): Promise<void> => {
      const body = {
        namespace: 'demo',
        owner: { tenant: 'default' },
        ...(manifest_key === undefined ? {} : { manifest_key }),
      };
      expect((await market.platform.call('POST', '/namespaces', body)).status).to.equal(200);
    };
    const signed = () => market.probe.reputation().manifest(orbId)?.signed;
    const manifestOf = () => market.probe.runtime().catalog.orbs.get(orbId)?.manifest;

    it('counts from the grant of its key on, and no more when another key is granted', async () => {
      const filed = signManifest(manifestOf() as never, pair.privateKey);
      writeFileSync(join(home, 'data', 'orbs', `${orbId}.sig`), JSON.stringify(filed));
      expect(await market.probe.reputation().offerSignature(orbId)).to.deep.equal({ signed: false });
      await grant(key);
      expect(signed()).to.equal(true);
      await grant(manifestKeyOf(other.privateKey));
      expect(signed()).to.equal(false);
      await grant(key);
      expect(signed()).to.equal(true);
    });

    it('one that was sent is kept when it verifies, over a restart; one that does not is not', async () => {
      rmSync(join(home, 'data', 'orbs', `${orbId}.sig`));
      await grant(manifestKeyOf(other.privateKey));
      const service = market.probe.reputation();
      const wrong = signManifest(manifestOf() as never, pair.privateKey);
      expect(await service.offerSignature(orbId, wrong)).to.deep.equal({ given: 'invalid', signed: false });
      await grant(key);
      expect(signed()).to.equal(false);
      await grant(manifestKeyOf(other.privateKey));
      const right = signManifest(manifestOf() as never, other.privateKey);
      expect(await service.offerSignature(orbId, right)).to.deep.equal({ given: 'valid', signed: true });
      await market.platform.stop({ keep: true });
      market = await startMarket({ home });
      expect(signed()).to.equal(true);
      expect(market.probe.reputation().manifest(orbId)?.signature).to.deep.equal(right);
    });

    it('a file that is no envelope is passed over', async () => {
      writeFileSync(join(home, 'data', 'orbs', `${orbId}.sig`), '{"payload": 1}');
      expect(await market.probe.reputation().offerSignature(orbId)).to.deep.equal({ signed: true });
    });
  });
});
