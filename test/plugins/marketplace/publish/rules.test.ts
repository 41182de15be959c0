import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { objectiveMaximumMs } from '../../../../plugins/ledger/contract.ts';
import {
  faultOfSignature,
  manifestKeyOf,
  signManifest,
} from '../../../../plugins/marketplace/publish/manifest-signature.ts';
import { readmeLimit } from '../../../../plugins/marketplace/readme.ts';
import { brokenRules, refuseFaults, type Candidate } from '../../../../plugins/marketplace/publish/rules.ts';
import { manifestOf } from '../orbs.ts';
import type { Orb, OrbManifest } from '../../../../plugins/runtime/contract.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const orbId = 'acme.tool@1.0.0';

/** Pointers of the rules that a listing breaks. */
function broken(
  texts: Partial<Candidate['texts']>,
  manifest: object = {},
  more: Partial<Candidate> = {},
): readonly string[] {
  const orb = {
    orb_id: orbId,
    namespace: 'acme',
    name: 'tool',
    digest: 'sha256:1',
    manifest: manifestOf(orbId, manifest),
  };
  const found = brokenRules({
    ...{ body: { orb_id: orbId }, orb: orb as unknown as Orb, manifestKey: undefined, foreignNames: [] },
    ...{ nameAllowed: false, texts: { title: 'T', description: 'D', readme: '', category: 'c', tags: [], ...texts } },
    ...more,
  });
  return found.map(({ pointer }) => pointer);
}

describe('the rules of a listing', () => {
  it('allow a description of 100 characters, a README of its limit, and an objective of its maximum', () => {
    expect(broken({ description: 'x'.repeat(100), readme: 'x'.repeat(readmeLimit) })).to.deep.equal([]);
    expect(broken({ description: 'x'.repeat(101) })).to.deep.equal(['#/listing/description']);
    expect(broken({ readme: 'x'.repeat(readmeLimit + 1) })).to.deep.equal(['#/listing/readme']);
    for (const [action_class, latency_objective_ms] of Object.entries(objectiveMaximumMs)) {
      expect(broken({}, { action_class, latency_objective_ms })).to.deep.equal([]);
      const slower = { action_class, latency_objective_ms: latency_objective_ms + 1 };
      expect(broken({}, slower)).to.deep.equal(['#/orb_id']);
    }
  });

  it('refuse what breaks a line or turns the direction of writing, in a title, a description and a README', () => {
    for (const sign of ['\u0000', '\u001b', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\n', '\t']) {
      expect(broken({ title: `a${sign}b` }), JSON.stringify(sign)).to.deep.equal(['#/listing/title']);
      expect(broken({ description: `a${sign}b` })).to.deep.equal(['#/listing/description']);
    }
    for (const sign of ['\u0000', '\u001b', '\u007f', '\u202a', '\u202e', '\u2066', '\u2069'])
      expect(broken({ readme: `a${sign}b` }), JSON.stringify(sign)).to.deep.equal(['#/listing/readme']);
    expect(broken({ readme: 'a\n\tb\r\nc' })).to.deep.equal([]);
  });

  it('refuse another digest than that of the manifest, and a signature that is none', () => {
    const body = (more: object, key: Partial<Candidate> = {}) =>
      broken({}, {}, { body: { orb_id: orbId, ...more }, ...key });
    expect(body({ manifest_digest: 'sha256:1' })).to.deep.equal([]);
    expect(body({ manifest_digest: 'sha256:2' })).to.deep.equal(['#/manifest_digest']);
    const signature = signManifest(manifestOf(orbId) as OrbManifest, privateKey);
    expect(body({ signature }), 'there is no key').to.deep.equal(['#/signature']);
    expect(body({ signature }, { manifestKey: manifestKeyOf(privateKey) })).to.deep.equal([]);
  });

  it('refuse a name that could be taken for that of another, unless it is allowed', () => {
    const foreignNames = ['other.tool', 'acrne.tool'];
    expect(broken({}, {}, { foreignNames })).to.deep.equal(['#/orb_id']);
    expect(broken({}, {}, { foreignNames, nameAllowed: true })).to.deep.equal([]);
    expect(broken({}, {}, { foreignNames: ['other.tool'] })).to.deep.equal([]);
  });

  it('are told all at once, and none is no refusal', () => {
    expect(() => refuseFaults([])).not.to.throw();
    const faults = [
      { pointer: '#/a', detail: 'must be a' },
      { pointer: '#/b', detail: 'must be b' },
    ];
    expect(() => refuseFaults(faults))
      .to.throw('#/a must be a; #/b must be b')
      .with.property('code', 'listing_invalid');
  });

  it('refuse a title or a description of spaces alone', () => {
    expect(broken({ title: ' ', description: ' ' })).to.deep.equal(['#/listing/title', '#/listing/description']);
    expect(broken({ description: '' })).to.deep.equal(['#/listing/description']);
  });
});

describe('the signature of a manifest', () => {
  const manifest = manifestOf(orbId) as OrbManifest;
  const key = manifestKeyOf(privateKey);
  const envelope = signManifest(manifest, privateKey);
  const other = signManifest(manifest, generateKeyPairSync('ed25519').privateKey);

  it('is one of any that the envelope holds', () => {
    expect(faultOfSignature(envelope, manifest, key)).to.equal(undefined);
    const both = { ...envelope, signatures: [...other.signatures, ...envelope.signatures] };
    expect(faultOfSignature(both, manifest, key)).to.equal(undefined);
    expect(faultOfSignature(other, manifest, key)).to.match(/does not verify/);
    expect(faultOfSignature({ ...envelope, signatures: [] }, manifest, key)).to.match(/does not verify/);
  });

  it('is of this payload type, this manifest and the granted key', () => {
    const type = { ...envelope, payloadType: 'application/json' };
    expect(faultOfSignature(type, manifest, key)).to.match(/must have the payloadType/);
    const changed = { ...manifest, title: 'Another' };
    expect(faultOfSignature(envelope, changed, key)).to.match(/signs another text/);
    expect(faultOfSignature(envelope, manifest, undefined)).to.match(/has no manifest key/);
  });
});
