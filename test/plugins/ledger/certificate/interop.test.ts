import { createRequire } from 'node:module';
import { expect } from 'chai';
import { startWorld, type World } from './world.ts';

type Json = Record<string, unknown>;

// None of these packages has types; the last comes with the first.
const load = createRequire(import.meta.url);
const integrity = '@digitalbazaar/data-integrity';
const { DataIntegrityProof } = load(integrity) as { DataIntegrityProof: new (options: object) => object };
const { createVerifyCryptosuite } = load('@digitalbazaar/eddsa-jcs-2022-cryptosuite') as {
  createVerifyCryptosuite: () => object;
};
const below = createRequire(load.resolve(integrity));
const jsigs = below('jsonld-signatures') as {
  purposes: { AssertionProofPurpose: new () => object };
  verify(document: Json, options: object): Promise<{ readonly verified: boolean }>;
};
const jsonld = createRequire(below.resolve('jsonld-signatures'))('jsonld') as {
  expand(document: object, options: object): Promise<readonly object[]>;
};

/** Verifies with a library that is not ours; all that it can load is the DID document that the platform serves. */
async function verified(document: Json, did: Json, asked: string[] = []): Promise<boolean> {
  const documentLoader = (url: string) => {
    asked.push(url);
    const [name, key] = url.split('#');
    const methods = did['verificationMethod'] as readonly Json[];
    if (name !== did['id']) throw new Error(`nothing is known of ${url}`);
    const method = methods.find(({ id }) => id === url);
    if (key !== undefined && method === undefined) throw new Error(`there is no key ${url}`);
    const loaded = key === undefined ? did : { '@context': 'https://w3id.org/security/multikey/v1', ...method };
    return Promise.resolve({ document: loaded, documentUrl: url, contextUrl: null });
  };
  const suite = new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() });
  const purpose = new jsigs.purposes.AssertionProofPurpose();
  const answer = await jsigs.verify(structuredClone(document), { suite, purpose, documentLoader });
  return answer.verified;
}

/** Every way to change one member of a document: each text, number and list of it. */
function* tampered(value: unknown, path: readonly (string | number)[] = []): Generator<(string | number)[]> {
  if (typeof value !== 'object' || value === null) yield [...path];
  else
    for (const [name, member] of Object.entries(value))
      yield* tampered(member, [...path, Array.isArray(value) ? Number(name) : name]);
}

function changed(document: Json, path: readonly (string | number)[]): Json {
  const copy = structuredClone(document);
  let at = copy as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  const value = at[last];
  at[last] = typeof value === 'number' ? value + 1 : `${String(value)}x`;
  return copy;
}

for (const [title, publicUrl] of [
  ['of a host', 'https://orb.example'],
  ['of a bare key', 'http://127.0.0.1:8080'],
] as const)
  describe(`a certificate ${title}, for a library that is not ours`, () => {
    let world: World;
    let credential: Json;
    let did: Json;
    before(async () => {
      world = await startWorld({ publicUrl });
      world.holds('gold');
      await world.snapshot();
      credential = (await world.certificate()).credential as Json;
      did = (await world.get('/.well-known/did.json')) as Json;
    });
    after(() => world.stop());

    it('verifies, and so do the status lists', async () => {
      const asked: string[] = [];
      expect(await verified(credential, did, asked)).to.equal(true);
      expect(new Set(asked.map((url) => url.split('#')[0]))).to.deep.equal(
        new Set([(credential['issuer'] as Json)['id']]),
      );
      for (const list of [1, 2])
        expect(await verified((await world.get(`/status-lists/${list}`)) as Json, did)).to.equal(true);
    });

    it('does not verify with any member changed, there or here', async function () {
      this.timeout(60_000);
      const paths = [...tampered(credential)];
      expect(paths.length).to.be.greaterThan(60);
      for (const path of paths) {
        const document = changed(credential, path);
        expect(await verified(document, did), path.join('/')).to.equal(false);
        expect((await world.certificates.service.verify(document)).overall, path.join('/')).to.equal('REJECTED');
      }
      expect(await verified(credential, did)).to.equal(true);
      expect((await world.certificates.service.verify(credential)).overall).to.equal('VERIFIED');
    });

    it('has a subject that JSON-LD keeps whole', async () => {
      const { '@context': context } = (await world.get('/contexts/orb-cert/v1')) as { '@context': object };
      const names = { '@version': 1.1, id: '@id', type: '@type', name: 'https://schema.org/name' };
      const subject = { '@context': [names, context], ...(credential['credentialSubject'] as Json) };
      // Safe: a term that is not defined, or an address that is relative, is an error.
      const [expanded = {}] = await jsonld.expand(subject, { safe: true, documentLoader: () => expect.fail('loads') });
      const terms = Object.keys(credential['credentialSubject'] as Json).filter(
        (name) => !['id', 'type'].includes(name),
      );
      for (const name of terms) expect(expanded).to.have.property(`urn:agent-orb:certificate:v1#${name}`);
    });

    it('does not verify with a member more or less', async () => {
      for (const name of Object.keys(credential)) {
        const { [name]: _, ...rest } = credential;
        expect(await verified(rest, did).catch(() => false), name).to.equal(false);
      }
      expect(await verified({ ...credential, more: 1 }, did)).to.equal(false);
    });
  });
