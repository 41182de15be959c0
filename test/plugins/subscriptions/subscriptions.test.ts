import { createHmac, createPublicKey, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { until } from '../../helpers/until.ts';
import type { VendorRequest } from '../../helpers/vendor.ts';
import { startBed, type Bed, type Made } from './bed.ts';
import { inStore } from '../../helpers/stored.ts';

const bodyOf = ({ body }: VendorRequest) =>
  JSON.parse(body.toString()) as { type: string; data: Readonly<Record<string, unknown>> };

describe('subscriptions to the ends of runs', function () {
  this.timeout(60_000);
  let bed: Bed;
  before(async () => {
    bed = await startBed();
  });
  after(() => bed.stop());

  const signed = ({ headers, body }: VendorRequest): Buffer =>
    Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString()}`);
  const macOf = (secret: string, request: VendorRequest): string => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed(request)).digest('base64')}`;
  };

  it('tell of a run, signed, at once, with its receipt, and of nothing else', async () => {
    const { url, posts } = await bed.receiver();
    const made = await bed.subscribe(`${url}/in?a=b`);
    expect(made.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const answer = await bed.run('one');
    await until(
      () => posts,
      (all) => all.length === 1,
      'a callback',
    );
    const [post] = posts as [VendorRequest];
    expect(post.path).to.equal('/in?a=b');
    expect(post.headers['content-type']).to.equal('application/json');
    const { type, data } = bodyOf(post);
    expect(type).to.equal('run.completed');
    const { run_id, receipt } = answer.body;
    expect(data).to.include({ run_id, status: 'completed', orb_id: 'test.record@1.0.0', orbiset_id: 'default' });
    expect(data['receipt']).to.include({ receipt_id: receipt.receipt_id, trust_score: receipt.trust_score });
    expect(data).to.not.have.any.keys('inputs', 'outputs');
    const [v1, v1a, ...more] = String(post.headers['webhook-signature']).split(' ');
    expect([v1, more]).to.deep.equal([macOf(made.secret, post), []]);
    const { body: keys } = await bed.platform.call('GET', '/.well-known/callback-keys.json', undefined, null);
    const x = Buffer.from(keys.keys[0].slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, signed(post), key, Buffer.from(String(v1a).slice('v1a,'.length), 'base64'))).to.equal(true);
    const [callback] = await until(
      () => bed.callbacks(made),
      ([one]) => one?.state === 'delivered',
      'a delivery',
    );
    expect(callback).to.include({ callback_id: post.headers['webhook-id'], run_id, tries: 1, status: 204 });
  });

  it('name in the signed text the subscription they were made for: relayed, one is not of the receiver', async () => {
    const { url, posts } = await bed.receiver();
    const mine = await bed.subscribe(`${url}/mine`);
    const theirs = await bed.subscribe(`${url}/theirs`, { format: 'cloudevents' });
    await bed.run('one');
    await until(
      () => posts,
      (all) => all.length === 2,
      'two callbacks',
    );
    for (const [path, { subscription }] of [
      ['/mine', mine],
      ['/theirs', theirs],
    ] as const) {
      const post = posts.find((one) => one.path === path) ?? expect.fail('no callback');
      expect(bodyOf(post).data).to.include({ subscription_id: subscription.subscription_id });
      expect(signed(post).toString()).to.include(subscription.subscription_id);
    }
  });

  it('have types, filters and forms', async () => {
    const { url, posts } = await bed.receiver();
    await bed.subscribe(`${url}/denied`, { types: ['run.denied'] });
    await bed.subscribe(`${url}/other`, { filter: { orb_id: 'demo.echo@1.0.0' } });
    const asked = await bed.subscribe(`${url}/event`, {
      types: ['run.failed', 'run.indeterminate'],
      format: 'cloudevents',
    });
    bed.recorder.behaviour['a'] = {
      execute: (token) => {
        if (token === 'bad') throw new ProviderError('rejected', 'no');
        if (token === 'lost') throw new ProviderError('unknown', 'the outcome is unknown', { phase: 'data' });
      },
    };
    for (const token of ['good', 'bad', 'lost']) await bed.run(token);
    await until(
      () => posts.length,
      (count) => count === 2,
      'two events',
    );
    const events = posts.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
    expect(posts.map(({ path, headers }) => [path, headers['content-type']])).to.deep.equal([
      ['/event', 'application/cloudevents+json'],
      ['/event', 'application/cloudevents+json'],
    ]);
    const known = events.find(({ type }) => type === 'agent-orb.run.failed');
    expect(known).to.include({ specversion: '1.0', datacontenttype: 'application/json' });
    expect(known?.['source']).to.match(/^urn:agent-orb:ins_/);
    const lost = events.find(({ type }) => type === 'agent-orb.run.indeterminate');
    const run_id = String(lost?.['subject']);
    // What nobody knew is told when it is known.
    await bed.platform.call('POST', `/runs/${run_id}/resolve`, { outcome: 'not_sent' });
    await until(
      () => posts.length,
      (count) => count === 3,
      'the end of the doubt',
    );
    expect(JSON.parse(String(posts[2]?.body))).to.have.property('subject', run_id);
    expect(await bed.callbacks(asked)).to.have.length(3);
  });

  it('tell of a run that waited, by its own end alone', async () => {
    const { url, posts } = await bed.receiver();
    await bed.subscribe(url);
    const answer = await bed.platform.call('POST', '/orbisets/default/execute', {
      ...{ orb_id: 'test.record@1.0.0', inputs: { token: 'queued' }, mode: 'async' },
    });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    const [post] = await until(
      () => posts,
      (all) => all.length > 0,
      'a callback',
    );
    const { run_id, status } = bodyOf(post as VendorRequest).data;
    expect([run_id, status]).to.deep.equal([answer.body.run_id, 'completed']);
    expect(posts.length).to.equal(1);
  });

  it('send outputs only where the Orbiset keeps them', async () => {
    const { url, posts } = await bed.receiver();
    const refused = await bed.platform.call('POST', '/orbisets/default/subscriptions', {
      ...{ url, types: ['run.*'], include: ['outputs'] },
    });
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).to.deep.equal([
      422,
      'invalid_body',
      '#/include',
    ]);
    await bed.subscribe(`${url}/with`, { include: ['outputs'] }, 'keeping');
    await bed.subscribe(`${url}/without`, {}, 'keeping');
    const { body } = await bed.run('kept', 'keeping');
    await until(
      () => posts.length,
      (count) => count === 2,
      'two callbacks',
    );
    for (const post of posts)
      expect(bodyOf(post).data['outputs']).to.deep.equal(post.path === '/with' ? body.outputs : undefined);
  });

  it('are refused where the URL leads inward, and are of their tenant alone', async () => {
    const create = async (url: string, key?: string) =>
      bed.platform.call('POST', '/orbisets/default/subscriptions', { url, types: ['run.*'] }, key);
    for (const url of [
      'https://169.254.169.254/',
      'http://127.0.0.1:1/',
      'https://localhost:1/',
      'http://example.com/',
      'x',
    ])
      expect([(await create(url)).status, url]).to.deep.equal([422, url]);
    const { url } = await bed.receiver();
    const executing = await bed.platform.key({ name: 'runs', scopes: ['orbs:execute', 'runs:read'] });
    expect((await create(url, executing)).status).to.equal(403);
    const stranger = await bed.platform.key({ name: 's', scopes: ['subscriptions:manage'], tenant: 'other' });
    expect((await create(url, stranger)).body.code).to.equal('orbiset_not_found');
    const own = await bed.platform.key({ name: 'o', scopes: ['subscriptions:manage'] });
    const made = (await create(url, own)).body as Made;
    const path = `/subscriptions/${made.subscription.subscription_id}`;
    expect((await bed.platform.call('GET', path, undefined, stranger)).body.code).to.equal('subscription_not_found');
    expect((await bed.platform.call('DELETE', path, undefined, own)).status).to.equal(204);
    expect((await bed.platform.call('GET', path, undefined, own)).status).to.equal(404);
  });

  it('hear nothing of an Orbiset that belongs to another tenant now', async () => {
    const { url, posts } = await bed.receiver();
    await bed.subscribe(url, {}, 'moving');
    await bed.run('mine', 'moving');
    await until(
      () => posts.length,
      (count) => count === 1,
      'a callback',
    );
    const file = join(bed.platform.home, 'data/orbisets/moving.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('default', 'other'));
    await bed.restart();
    expect((await bed.platform.call('GET', '/orbisets/moving/subscriptions')).body.subscriptions).to.deep.equal([]);
    const after = await bed.subscribe(url, {}, 'moving');
    expect((await bed.run('theirs', 'moving')).status).to.equal(200);
    await until(
      () => bed.callbacks(after),
      ([one]) => one?.state === 'delivered',
      'a delivery',
    );
    expect(posts.length).to.equal(2);
  });

  it('keep their callbacks while they are paused, and sign with two secrets for a day after a rotation', async () => {
    const { url, posts } = await bed.receiver();
    const made = await bed.subscribe(url);
    const path = `/subscriptions/${made.subscription.subscription_id}`;
    expect((await bed.platform.call('PATCH', path, { state: 'paused' })).body.state).to.equal('paused');
    await bed.run('later');
    await until(
      () => bed.callbacks(made),
      ([one]) => one?.state === 'waiting',
      'a callback that waits',
    );
    const { secret } = (await bed.platform.call('POST', `${path}/secret`)).body as Made;
    expect(secret).not.to.equal(made.secret);
    await bed.restart();
    expect(posts).to.deep.equal([]);
    await bed.platform.call('PATCH', path, { state: 'active' });
    const [post] = await until(
      () => posts,
      (all) => all.length === 1,
      'the callback that waited',
    );
    const signatures = (one: VendorRequest | undefined): readonly string[] =>
      String(one?.headers['webhook-signature']).split(' ').slice(0, -1);
    expect(signatures(post)).to.deep.equal([
      macOf(secret, post as VendorRequest),
      macOf(made.secret, post as VendorRequest),
    ]);
    bed.advance(86_400_001);
    await bed.run('a day later');
    const [, next] = await until(
      () => posts,
      (all) => all.length === 2,
      'the next callback',
    );
    expect(signatures(next)).to.deep.equal([macOf(secret, next as VendorRequest)]);
  });

  it('sign with each secret of the last day, also when two rotations come at once, but with five at most', async () => {
    const { url, posts } = await bed.receiver();
    const made = await bed.subscribe(url);
    const rotate = async (): Promise<string> => {
      const path = `/subscriptions/${made.subscription.subscription_id}/secret`;
      return ((await bed.platform.call('POST', path)).body as Made).secret;
    };
    const signing = async (token: string, secrets: readonly string[]): Promise<readonly boolean[]> => {
      const known = posts.length;
      await bed.run(token);
      await until(
        () => posts,
        (all) => all.length > known,
        'a callback',
      );
      const post = posts.at(-1) as VendorRequest;
      const signatures = String(post.headers['webhook-signature']).split(' ').slice(0, -1);
      expect(signatures.length).to.be.at.most(5);
      return secrets.map((secret) => signatures.includes(macOf(secret, post)));
    };
    const secrets = [made.secret, ...(await Promise.all([rotate(), rotate()]))];
    expect(await signing('after two rotations', secrets)).to.deep.equal([true, true, true]);
    for (let more = 0; more < 3; more++) secrets.push(await rotate());
    expect(await signing('after five', secrets)).to.deep.equal([false, true, true, true, true, true]);
  });

  it('leave nothing of a body in the store once it was taken, and no plain text before', async () => {
    const { url } = await bed.receiver();
    const made = await bed.subscribe(`${url}/token-in-url`, { include: ['outputs'] }, 'keeping');
    const path = `/subscriptions/${made.subscription.subscription_id}`;
    await bed.platform.call('PATCH', path, { state: 'paused' });
    await bed.run('a-word-of-the-outputs', 'keeping');
    const bodies = async (): Promise<readonly (Uint8Array | null)[]> => {
      const { home } = bed.platform;
      const sql = 'SELECT body FROM subscriptions_callbacks WHERE subscription_id = ?';
      const rows = (await inStore(home, sql, made.subscription.subscription_id)) as { body: Uint8Array | null }[];
      const sealed = (await inStore(home, 'SELECT sealed FROM subscriptions_subscriptions')) as {
        sealed: Uint8Array;
      }[];
      for (const one of [...rows.flatMap(({ body }) => body ?? []), ...sealed.map(({ sealed: text }) => text)])
        expect(Buffer.from(one).toString('latin1')).not.to.match(/a-word-of-the-outputs|token-in-url|whsec_/);
      return rows.map(({ body }) => body);
    };
    expect((await until(bodies, (all) => all.length === 1))[0]).to.be.instanceOf(Uint8Array);
    await bed.platform.call('PATCH', path, { state: 'active' });
    await until(bodies, ([body]) => body === null, 'an erased body');
    const [{ callback_id } = { callback_id: '' }] = await bed.callbacks(made);
    const again = await bed.platform.call('POST', `${path}/callbacks/${callback_id}/redeliver`);
    expect([again.status, again.body.code]).to.deep.equal([409, 'callback_erased']);
  });
});
