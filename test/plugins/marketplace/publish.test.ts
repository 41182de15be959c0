import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { manifestKeyOf, signManifest } from '../../../plugins/marketplace/publish/manifest-signature.ts';
import { send } from '../../helpers/http.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { manifestOf, writeOrb } from './orbs.ts';
import type { OrbManifest } from '../../../plugins/runtime/contract.ts';

const path = '/marketplace/orbs/publish';
const sloth = { action_class: 'read', latency_objective_ms: 2001 };
const orbs: readonly (readonly [string, object])[] = [
  ['acme.tool@1.0.0', {}],
  ['acme.tool@1.1.0', {}],
  ['acme.slow@1.0.0', sloth],
  ['acme.echo@1.0.0', {}],
  ['demo.echo@1.0.1', {}],
  ['derno.echo@1.0.0', {}],
  ['derno.slow@1.0.0', { ...sloth, description: 'x'.repeat(101) }],
  ['nobody.tool@1.0.0', {}],
  ['acme.signed@1.0.0', {}],
  ['acme.twice@1.0.0', {}],
  ['acme.keyed@1.0.0', {}],
  ['acme.changed@1.0.0', {}],
];

describe('publishing', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let acme: string;
  const { privateKey } = generateKeyPairSync('ed25519');
  const publish = (orb_id: string, more: object = {}, key?: string, query = ''): Promise<Answer> =>
    platform.call('POST', path + query, { orb_id, ...more }, key);
  const code = ({ status, body }: Answer): unknown[] => [status, body.code];
  const standings = async (orbId: string): Promise<number> => {
    const { body, status } = await platform.call('GET', `/receipts?orb=${encodeURIComponent(orbId)}&limit=100`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.receipts.filter(({ kind }: { kind: string }) => kind === 'standing').length;
  };
  const grant = (namespace: string, tenant: string, more: object = {}): Promise<Answer> =>
    platform.call('POST', '/namespaces', { namespace, owner: { tenant }, ...more });

  before(async () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-publish-'));
    for (const [orbId, more] of orbs) writeOrb(home, orbId, more);
    platform = await startPlatform({ home });
    acme = await platform.key({ scopes: ['marketplace:publish'], tenant: 'acme' });
    expect((await grant('acme', 'acme', { manifest_key: manifestKeyOf(privateKey) })).status).to.equal(201);
    expect((await grant('derno', 'acme')).status).to.equal(201);
  });
  after(() => platform.stop());

  it('answers 201 with the item and its Location, attested; the same again is 200 and attested no second time', async () => {
    const first = await publish('acme.tool@1.0.0', {}, acme);
    expect(first.status).to.equal(201);
    expect(first.headers.get('location')).to.match(/\/marketplace\/orbs\/acme\.tool%401\.0\.0$/);
    expect(first.body).to.include({ orb_id: 'acme.tool@1.0.0', name: 'acme.tool', category: 'echo', status: 'active' });
    expect(first.body.publisher).to.deep.equal({ namespace: 'acme', manifest_signed: false });
    const again = await publish('acme.tool@1.0.0', {}, acme);
    expect(again.status).to.equal(200);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('location')).to.equal(null);
    const { body } = await platform.call('GET', '/marketplace/orbs/acme.tool@1.0.0');
    const receipt = await platform.call('GET', `/receipts/${body.receipt_id}`);
    expect(receipt.body.statement.predicate).to.include({ orb_id: 'acme.tool@1.0.0' });
    const { facts } = receipt.body.statement.predicate;
    expect(facts).to.include({
      change: 'published',
      manifest_digest: first.body.manifest_digest,
      manifest_signed: false,
    });
    expect(facts.policy.decision).to.equal('allow');
    expect(facts.principal).to.match(/^prn_/);
  });

  it('refuses an Orb that the runtime does not know, before anything else', async () => {
    expect(code(await publish('acme.gone@1.0.0', {}, acme))).to.deep.equal([404, 'orb_not_found']);
    expect(code(await publish('nobody.gone@1.0.0', {}, acme))).to.deep.equal([404, 'orb_not_found']);
  });

  it('refuses a namespace that is not granted to anybody, or to another tenant', async () => {
    const ungranted = await publish('nobody.tool@1.0.0', {}, acme);
    expect([...code(ungranted), ungranted.body.reasons[0].code]).to.deep.equal([
      403,
      'access_denied',
      'namespace_not_granted',
    ]);
    const foreign = await publish('demo.echo@1.0.0', {}, acme);
    expect([...code(foreign), foreign.body.reasons[0].code]).to.deep.equal([
      403,
      'access_denied',
      'namespace_not_yours',
    ]);
    expect(await standings('demo.echo@1.0.0')).to.equal(0);
  });

  it('asks policy, which lets nobody but the owner publish, not even the operator', async () => {
    const denied = await publish('acme.tool@1.1.0');
    expect(code(denied)).to.deep.equal([403, 'access_denied']);
    expect(denied.body.decision_id).to.match(/^dec_/);
  });

  it('needs the scope', async () => {
    const key = await platform.key({ scopes: ['orbs:execute'], tenant: 'acme' });
    expect(code(await publish('acme.tool@1.0.0', {}, key))).to.deep.equal([403, 'insufficient_scope']);
  });

  it('tells every rule that is broken, at once', async () => {
    // Another's name is published first.
    expect((await publish('demo.echo@1.0.0')).status).to.equal(201);
    const { status, body } = await publish(
      'derno.echo@1.0.0',
      {
        manifest_digest: `sha256:${'0'.repeat(64)}`,
        signature: signManifest(manifestOf('derno.echo@1.0.0') as OrbManifest, privateKey),
        listing: { title: 'a\u202eb', description: ' ', readme: 'ä'.repeat(32_769) },
      },
      acme,
    );
    expect([status, body.code]).to.deep.equal([422, 'listing_invalid']);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).to.deep.equal([
      '#/manifest_digest',
      '#/signature',
      '#/listing/title',
      '#/listing/description',
      '#/listing/readme',
      '#/orb_id',
    ]);
    const slow = await publish('derno.slow@1.0.0', {}, acme);
    expect(slow.body.errors).to.deep.equal([
      {
        pointer: '#/listing/description',
        detail: 'must have 1 to 100 characters and has 101; send listing.description',
      },
      { pointer: '#/orb_id', detail: "the manifest's latency_objective_ms is 2001; of read it must be at most 2000" },
    ]);
  });

  it('takes the limits themselves: 100 characters of any width, 64 KB of README', async () => {
    const listing = { description: '😀'.repeat(100), readme: 'ä'.repeat(32_768) };
    expect((await publish('acme.echo@1.0.0', { listing }, acme, '?dry_run=true')).status).to.equal(200);
    listing.description += 'x';
    expect(code(await publish('acme.echo@1.0.0', { listing }, acme))).to.deep.equal([422, 'listing_invalid']);
  });

  it("refuses a name that could be taken for another's, unless the operator lets it stand", async () => {
    const refused = await publish('derno.echo@1.0.0', { allow_confusable_name: true }, acme);
    expect(refused.body.errors[0].detail).to.match(/looks like demo\.echo/);
    await grant('derno', 'default');
    // The same tenant's names are its own affair; so the operator's tenant needs no leave.
    expect((await publish('derno.echo@1.0.0')).status).to.equal(201);
    await grant('derno', 'acme');
    // What is published under its name may be published again under it.
    expect((await publish('derno.echo@1.0.0', {}, acme)).status).to.equal(200);
  });

  it('refuses a namespace that was revoked, to its tenant and to the operator, until it is granted again', async () => {
    expect((await platform.call('DELETE', '/namespaces/derno?reason=abuse')).status).to.equal(200);
    for (const key of [acme, undefined]) {
      const { status, body } = await publish('derno.echo@1.0.0', {}, key);
      expect([status, body.code, body.reasons]).to.deep.equal([
        403,
        'access_denied',
        [{ code: 'namespace_not_granted' }],
      ]);
      const change = { status: 'deprecated', reason: 'x' };
      const changed = await platform.call('PATCH', '/marketplace/orbs/derno.echo@1.0.0/status', change, key);
      expect(changed.body.reasons).to.deep.equal([{ code: 'namespace_not_granted' }]);
    }
    expect((await grant('derno', 'acme')).status).to.equal(201);
    expect((await publish('derno.echo@1.0.0', {}, acme)).status).to.equal(200);
  });

  it('lets the operator allow a confusable name', async () => {
    const key = await platform.key({ scopes: ['*'], tenant: 'acme' });
    expect(code(await publish('acme.echo@1.0.0', {}, key))).to.deep.equal([201, undefined]);
  });

  it('says what it would do with dry_run, and does not do it', async () => {
    const before = await standings('acme.tool@1.1.0');
    const dry = await publish('acme.tool@1.1.0', {}, acme, '?dry_run=true');
    expect([dry.status, dry.body.orb_id, dry.body.latest]).to.deep.equal([200, 'acme.tool@1.1.0', true]);
    expect((await platform.call('GET', '/marketplace/orbs/acme.tool@1.1.0')).status).to.equal(404);
    expect(await standings('acme.tool@1.1.0')).to.equal(before);
    expect(code(await publish('acme.slow@1.0.0', {}, acme, '?dry_run=true'))).to.deep.equal([422, 'listing_invalid']);
  });

  it('takes a signature by the key of the namespace, and no other', async () => {
    const manifest = manifestOf('acme.signed@1.0.0') as OrbManifest;
    const stranger = signManifest(manifest, generateKeyPairSync('ed25519').privateKey);
    const refused = await publish('acme.signed@1.0.0', { signature: stranger }, acme);
    expect(refused.body.errors).to.deep.equal([
      { pointer: '#/signature', detail: 'does not verify under the key granted to the namespace' },
    ]);
    const other = signManifest(manifestOf('acme.tool@1.0.0') as OrbManifest, privateKey);
    expect((await publish('acme.signed@1.0.0', { signature: other }, acme)).body.errors[0].detail).to.match(
      /another text/,
    );
    expect((await publish('acme.signed@1.0.0', {}, acme)).body.publisher.manifest_signed).to.equal(false);
    // Its page says so to people.
    const page = '/marketplace/acme.signed@1.0.0';
    const isMarked = async () => (await send(platform.url, page)).text.includes('Manifest not signed');
    expect(await isMarked()).to.equal(true);
    const signed = await publish('acme.signed@1.0.0', { signature: signManifest(manifest, privateKey) }, acme);
    expect([signed.status, signed.body.publisher.manifest_signed]).to.deep.equal([200, true]);
    expect(await isMarked()).to.equal(false);
    expect(await standings('acme.signed@1.0.0')).to.equal(2);
  });

  it('says of a version that becomes active again whether it is signed now, under the key granted now', async () => {
    const change = (status: string): Promise<Answer> =>
      platform.call('PATCH', '/marketplace/orbs/acme.signed@1.0.0/status', { status, reason: 'Why not.' });
    const attested = async (): Promise<unknown> => {
      const { body } = await platform.call('GET', '/marketplace/orbs/acme.signed@1.0.0');
      return (await platform.call('GET', `/receipts/${body.receipt_id}`)).body.statement.predicate.facts
        .manifest_signed;
    };
    await change('deprecated');
    await change('active');
    expect(await attested()).to.equal(true);
    await change('deprecated');
    await grant('acme', 'acme', { manifest_key: null });
    await change('active');
    expect(await attested()).to.equal(false);
    await grant('acme', 'acme', { manifest_key: manifestKeyOf(privateKey) });
  });

  it('changes what the publisher says by publishing again; what is not said stays', async () => {
    const listing = { title: 'Tool', tags: ['a', 'b'], homepage: 'https://example.com/' };
    const changed = await publish('acme.tool@1.0.0', { listing }, acme);
    expect([changed.status, changed.body.title, changed.body.tags]).to.deep.equal([200, 'Tool', ['a', 'b']]);
    expect((await publish('acme.tool@1.0.0', {}, acme)).body).to.deep.equal(changed.body);
    expect((await publish('acme.tool@1.0.0', { listing }, acme)).body).to.deep.equal(changed.body);
    for (const bad of [{ homepage: 'javascript:alert(1)' }, { tags: ['A b'] }, { category: 'x y' }, { more: 1 }])
      expect(code(await publish('acme.tool@1.0.0', { listing: bad }, acme))).to.deep.equal([422, 'invalid_body']);
  });

  it('refuses another digest of a published version: 409', async () => {
    const other = { manifest_digest: `sha256:${'1'.repeat(64)}` };
    expect(code(await publish('acme.tool@1.0.0', other, acme))).to.deep.equal([409, 'version_published']);
  });

  it('publishes once when asked twice at once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => publish('acme.twice@1.0.0', {}, acme)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 201]);
    expect(await standings('acme.twice@1.0.0')).to.equal(1);
  });

  it('answers an Idempotency-Key with its first answer, and refuses another body under it', async () => {
    const send = async (body: object): Promise<Response> =>
      fetch(platform.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${acme}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify(body),
      });
    const first = await send({ orb_id: 'acme.keyed@1.0.0' });
    const again = await send({ orb_id: 'acme.keyed@1.0.0' });
    expect([first.status, again.status]).to.deep.equal([201, 201]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(again.headers.get('location')).to.equal(first.headers.get('location'));
    expect(await again.text()).to.equal(await first.text());
    const other = (await (await send({ orb_id: 'acme.tool@1.0.0' })).json()) as { code: string };
    expect(other.code).to.equal('idempotency_mismatch');
  });

  it('refuses a published version whose manifest file was changed: 409', async () => {
    expect((await publish('acme.changed@1.0.0', {}, acme)).status).to.equal(201);
    await platform.stop({ keep: true });
    writeOrb(platform.home, 'acme.changed@1.0.0', { title: 'Another' });
    platform = await startPlatform({ home: platform.home });
    expect(code(await publish('acme.changed@1.0.0', {}, acme))).to.deep.equal([409, 'version_published']);
    // What was published before is there after the restart, and the key still finds its answer.
    expect((await publish('acme.tool@1.0.0', {}, acme)).status).to.equal(200);
  });
});
