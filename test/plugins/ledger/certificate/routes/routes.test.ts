import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { identityOf } from '../../../../../plugins/ledger/certificate/format/did.ts';
import { until } from '../../../../helpers/until.ts';
import { send } from '../../../../helpers/http.ts';
import { orb, startWorld, type World } from '../world.ts';

const unpublished = 'demo.echo@1.0.0';

describe('the routes of certificates', () => {
  let world: World;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- looked into as it comes
  let answer: any;
  const get = (path: string, headers: Record<string, string> = {}) => send(world.platform.url, path, { headers });
  before(async () => {
    world = await startWorld({ publicUrl: 'https://orb.example:8443' });
  });
  after(() => world.stop());

  it('say of an Orb that never had one 404, and list the gates that do not hold', async () => {
    const { status, json } = await get(`/reputation/${orb}/certificate`);
    expect(status).to.equal(404);
    expect(json).to.include({ code: 'certificate_not_issued' });
    expect(json['reasons']).to.deep.equal([
      { tier: 'bronze', gate: 'score', needed: '60', present: '12', detail: 'a score of 60' },
    ]);
    expect(json['detail']).to.contain('bronze needs: a score of 60');
  });

  it('answer the newest certificate with what verifies it, the id raw or encoded', async () => {
    world.holds('gold');
    await world.snapshot();
    const { status, headers, json } = await get(`/reputation/${orb}/certificate`);
    answer = json;
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/json');
    expect(headers.get('cache-control')).to.equal('public, max-age=300');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(answer).to.include({ orb_id: orb, certification_tier: 'gold', reputation_score: 95, status: 'valid' });
    expect(answer.certificate_id).to.match(/^crt_/);
    expect(answer.verification).to.deep.include({ did: 'did:web:orb.example%3A8443', bound_to_host: true });
    expect(answer.verification.status_list).to.deep.equal({
      revocation: 'https://orb.example:8443/status-lists/1',
      suspension: 'https://orb.example:8443/status-lists/2',
    });
    expect((await get(`/reputation/${orb.replace('@', '%40')}/certificate`)).json).to.deep.equal(json);
  });

  it('answer the credential as it is: by ?format=vc and by its id', async () => {
    for (const path of [`/reputation/${orb}/certificate?format=vc`, `/certificates/${answer.certificate_id}`]) {
      const { headers, text } = await get(path);
      expect(headers.get('content-type')).to.equal('application/vc');
      expect(JSON.parse(text)).to.deep.equal(answer.credential);
    }
    expect((await get(`/reputation/${orb}/certificate?format=jwt`)).status).to.equal(400);
  });

  it('know no other certificate, list or Orb', async () => {
    for (const [path, code] of [
      ['/certificates/crt_01M80000000000000000000000', 'certificate_not_found'],
      ['/status-lists/3', 'certificate_not_found'],
      ['/status-lists/0', 'invalid_parameter'],
      ['/status-lists/-Infinity', 'invalid_parameter'],
      ['/reputation/no.such@1.0.0/certificate', 'orb_not_found'],
    ] as const)
      expect((await get(path)).json, path).to.include({ code });
  });

  it('show the certificate of an unpublished Orb to holders of a key, and let no cache keep it', async () => {
    world.holds('bronze', unpublished);
    await world.snapshot();
    expect((await get(`/reputation/${unpublished}/certificate`)).json).to.include({ code: 'orb_not_found' });
    const bearer = { authorization: `Bearer ${world.platform.adminKey}` };
    const { headers, json } = await get(`/reputation/${unpublished}/certificate`, bearer);
    expect(json).to.include({ certification_tier: 'bronze' });
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('vary')?.split(', ')).to.include('Authorization');
  });

  it('serve a schema that the certificate fits, and fits no other', async () => {
    const { headers, text } = await get('/schemas/orb-certificate-1.json');
    expect(headers.get('content-type')).to.equal('application/schema+json');
    const schema = JSON.parse(text) as { $id: string };
    expect(schema.$id).to.equal(answer.credential.credentialSchema.id);
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect(validate(answer.credential), JSON.stringify(validate.errors)).to.equal(true);
    for (const name of Object.keys(answer.credential as object)) {
      const { [name]: _, ...rest } = answer.credential as Record<string, unknown>;
      expect(validate(rest), name).to.equal(false);
    }
  });

  it('serve a context that defines every term of the certificate that is not of the W3C', async () => {
    const { headers, text } = await get('/contexts/orb-cert/v1');
    expect(headers.get('content-type')).to.equal('application/ld+json');
    const context = (JSON.parse(text) as { '@context': Record<string, { '@context'?: object }> })['@context'];
    const own = Object.keys(context['Orb']?.['@context'] ?? {});
    const used = Object.keys(answer.credential.credentialSubject as object).filter(
      (name) => !['id', 'type'].includes(name),
    );
    expect(used.filter((name) => !own.includes(name))).to.deep.equal([]);
    expect(context).to.include.all.keys('OrbCertificationCredential', 'ReputationEvidence', 'activeSince', 'revokedAt');
  });

  it('serve status lists and the DID document to every page, for five minutes', async () => {
    for (const [path, type] of [
      ['/status-lists/1', 'application/vc'],
      ['/.well-known/did.json', 'application/did+json'],
    ] as const) {
      const { headers } = await get(path);
      expect(headers.get('content-type')).to.equal(type);
      expect(headers.get('cache-control')).to.equal('public, max-age=300');
      expect(headers.get('access-control-allow-origin')).to.equal('*');
    }
    const list = JSON.parse((await get('/status-lists/1')).text) as { credentialSubject: object };
    expect(list.credentialSubject).to.include({
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      ttl: 300_000,
    });
  });

  it('tell no time finer than a day, but in the id', async () => {
    const texts = await Promise.all(
      [`/reputation/${orb}/certificate`, '/status-lists/1', '/.well-known/did.json'].map(
        async (path) => (await get(path)).text,
      ),
    );
    for (const [time] of texts.join().matchAll(/\d{4}-\d\d-\d\dT[^"]*/g)) expect(time).to.match(/T00:00:00Z$/);
  });

  it('verify what is theirs, as credential or as answer, and nothing that was changed', async () => {
    const verify = (json: unknown) => send(world.platform.url, '/certificates/verify', { json });
    for (const json of [answer, answer.credential]) {
      const { headers, json: report } = await verify(json);
      expect(report).to.include({ overall: 'VERIFIED', exit: 0 });
      expect(headers.get('ratelimit-policy')).to.equal('"certificate-verify";q=10;w=1');
    }
    const changed = { ...answer.credential, name: 'Platinum' };
    expect((await verify(changed)).json).to.include({ overall: 'REJECTED', exit: 1 });
    expect((await verify({})).json).to.include({ overall: 'REJECTED', exit: 2 });
    expect((await verify('x')).status).to.equal(422);
  });

  it('are verified likewise when they are large', async () => {
    const verify = (text: string) =>
      until(
        () =>
          send(world.platform.url, '/certificates/verify', {
            body: text + ' '.repeat(100_000),
            headers: { 'content-type': 'application/json' },
          }),
        ({ status }) => status !== 429,
      );
    for (const json of [answer, answer.credential])
      expect((await verify(JSON.stringify(json))).json).to.include({ overall: 'VERIFIED', exit: 0 });
    const id = 'https://orb.example:8443/certificates/crt_01M80000000000000000000000';
    for (const changed of [{ name: 'Platinum' }, { id }])
      expect((await verify(JSON.stringify({ ...answer.credential, ...changed }))).json).to.include({ exit: 1 });
    expect((await verify('{}')).json).to.include({ overall: 'REJECTED', exit: 2 });
    expect((await verify('"x"')).json).to.include({ code: 'invalid_body' });
    expect((await verify('{"a":1,"a":1}')).json).to.include({ code: 'malformed_json' });
  });

  it('do not verify the certificate of another installation', async () => {
    const other = await startWorld({ publicUrl: 'https://orb.example:8443' });
    try {
      other.holds('gold');
      await other.snapshot();
      const { json } = await send(world.platform.url, '/certificates/verify', { json: await other.certificate() });
      const checks = json['checks'] as { name: string; result: string }[];
      expect(json).to.include({ overall: 'REJECTED', exit: 4 });
      expect(checks.find(({ name }) => name === 'issuer_trusted')?.result).to.equal('fail');
    } finally {
      await other.stop();
    }
  });

  it('name each document they relate to by address and digest', () => {
    const [manifest, policy] = answer.credential.relatedResource;
    expect(manifest.id).to.equal(`https://orb.example:8443/reputation/${orb}/manifest`);
    expect(policy.id).to.equal('https://orb.example:8443/scoring/orb-score/1');
    const bytes = Buffer.from(String(policy.digestMultibase).slice(1), 'base64url');
    expect(bytes.subarray(0, 2).toString('hex')).to.equal('1220');
    expect(`sha256:${bytes.subarray(2).toString('hex')}`).to.equal(
      answer.credential.credentialSubject.scoringPolicy.digest,
    );
  });
});

describe('who issues certificates', () => {
  for (const [publicUrl, did] of [
    ['https://orb.example', 'did:web:orb.example'],
    ['https://orb.example:8443', 'did:web:orb.example%3A8443'],
    ['https://orb.example/orbs', undefined],
    ['http://orb.example', undefined],
    ['https://192.0.2.1', undefined],
    ['https://[2001:db8::1]', undefined],
    ['https://user@orb.example', undefined],
  ] as const)
    it(`${publicUrl}: ${did ?? 'a bare key, which is said'}`, () => {
      const found = identityOf(publicUrl, { kid: 'k', public_key: new Uint8Array(32).fill(7) });
      expect(found.bound_to_host).to.equal(did !== undefined);
      if (did === undefined) expect(found.did).to.match(/^did:key:z6Mk/);
      else expect(found.did).to.equal(did);
      expect(found.method).to.match(/#z6Mk\w+$/);
    });
});
