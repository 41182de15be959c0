import { expect } from 'chai';
import { inspect } from 'node:util';
import { compile } from '../../../kernel/index.ts';
import { testKey } from '../../helpers/conformance.ts';
import { createStage, failure, full, opened, recordingLog, send, text } from './vendors/bed.ts';
import { keys, messageIn, newKeys, serviceBed, subscriptionAt, vapid } from './vendors/service.ts';
import { vendorSuite } from './vendors/suite.ts';

describe('push/webpush', () => {
  vendorSuite(serviceBed);
  const { vendor: start, open } = createStage(serviceBed);

  it('sends what it was given, encrypted', async () => {
    const vendor = await start();
    const to = serviceBed.to(vendor.url);
    const outputs = await send(await open(serviceBed.config(vendor.url)), { ...full, to });
    expect(outputs).to.deep.equal({ message_id: serviceBed.id, status: 'accepted' });
    const [request] = vendor.posts;
    expect(request && messageIn(request)).to.deep.equal({
      ...{ title: full.title, body: full.body, url: full.url, data: full.data, tag: full.collapse },
    });
    expect(request?.headers).to.include({ ttl: '60', urgency: 'high', topic: 'build-1' });
    expect(request?.body.includes('Hello')).to.equal(false);
  });

  it('sends the start of our key as topic and tag, so that a repeated message replaces the first one', async () => {
    const vendor = await start();
    const handle = await open(serviceBed.config(vendor.url));
    await send(handle, { ...text, to: serviceBed.to(vendor.url) });
    const tag = testKey('p').slice(0, 32);
    expect(vendor.posts[0]?.headers).to.include({ topic: tag, ttl: '86400', urgency: 'normal' });
    expect(vendor.posts[0] && messageIn(vendor.posts[0])).to.deep.equal({ ...text, tag });
  });

  for (const [name, reply, id] of [
    ['a service that delivers later', { status: 202, headers: { location: '/m/1' } }, '/m/1'],
    ['Apple', { status: 201, headers: { 'apns-id': '7f8b0a2c-1111' } }, '7f8b0a2c-1111'],
    ['Microsoft', { status: 201, headers: { 'x-wns-msg-id': '1C2F' } }, '1C2F'],
    ['a service without ids', { status: 201 }, testKey('p').slice(0, 32)],
    ['a service whose id is no id', { status: 201, headers: { location: 'x'.repeat(999) } }, testKey('p').slice(0, 32)],
  ] as const)
    it(`takes the id of ${name}`, async () => {
      const vendor = await start();
      vendor.fault = reply;
      const call = send(await open(serviceBed.config(vendor.url)), { ...text, to: serviceBed.to(vendor.url) });
      expect(await call).to.deep.equal({ message_id: id, status: 'accepted' });
    });

  describe('counts bytes of the encrypted form', () => {
    // The rest of the payload: {"title":"x","body":"","tag":"c"}
    const rest = Buffer.byteLength(JSON.stringify({ title: 'x', body: '', tag: 'c' }));
    const room = 3993 - rest;
    const wide = '語'.repeat(Math.floor(room / 3));
    const exact = wide + 'a'.repeat(room - 3 * wide.length);

    it('and fills them', async () => {
      const vendor = await start();
      const inputs = { title: 'x', body: exact, collapse: 'c', to: serviceBed.to(vendor.url) };
      expect(await send(await open(serviceBed.config(vendor.url)), inputs)).to.not.have.property('truncated');
      expect(vendor.posts[0]?.body).to.have.length(4096);
    });

    it('and refuses one more, or cuts the body between two characters', async () => {
      const vendor = await start();
      const handle = await open(serviceBed.config(vendor.url));
      // Line ends and quotes count twice in JSON.
      for (const body of [`${exact}a`, `"${exact.slice(1)}\n`, `${exact.slice(0, -8)}${'👩‍👩‍👧‍👦'.repeat(2)}`]) {
        const inputs = { title: 'x', body, collapse: 'c', to: serviceBed.to(vendor.url) };
        expect(await failure(send(handle, inputs))).to.include({ outcome: 'rejected', reason: 'content_too_long' });
        const sent = vendor.posts.length;
        expect(await send(handle, { ...inputs, overflow: 'truncate' })).to.include({ truncated: true });
        const request = vendor.posts[sent];
        const shown = (request && messageIn(request)) as { body: string };
        expect(shown.body.endsWith('…') && body.startsWith(shown.body.slice(0, -1))).to.equal(true);
        expect(shown.body).to.not.match(/\u200d…$/);
        expect(request?.body.length).to.be.within(4096 - 103, 4096);
      }
    });

    it('and refuses what no cut can shorten', async () => {
      const vendor = await start();
      const long = {
        title: '語'.repeat(200),
        data: { a: 'x'.repeat(2030) },
        url: `https://a.test/${'x'.repeat(1900)}`,
      };
      const inputs = { ...long, body: 'Hello', overflow: 'truncate', to: serviceBed.to(vendor.url) };
      const error = await failure(send(await open(serviceBed.config(vendor.url)), inputs));
      expect(error.reason).to.equal('content_too_long');
      expect(vendor.posts).to.have.length(0);
    });
  });

  describe('calls push services alone', () => {
    const refusedHosts = [
      ...['http://127.0.0.1/x', 'https://127.0.0.1/x', 'https://localhost/x', 'https://[::1]/x', 'https://10.0.0.1/x'],
      ...['https://169.254.169.254/latest', 'https://2130706433/x', 'https://0x7f.1/x', 'https://example.com/x'],
      ...['http://fcm.googleapis.com/x', 'https://fcm.googleapis.com:8443/x', 'https://fcm.googleapis.com.evil.test/x'],
      ...['https://evilpush.apple.com.test/x', 'https://push.apple.com/x', 'https://user@fcm.googleapis.com/x'],
      ...['https://notify.windows.com/x', 'https://fcm.googleapis.com\\@evil.test/x', 'ftp://fcm.googleapis.com/x'],
    ];
    for (const endpoint of refusedHosts)
      it(`not ${endpoint}`, async () => {
        const handle = await open({ ...vapid });
        const error = await failure(send(handle, { ...text, to: { subscription: { endpoint, keys } } }));
        expect([error.outcome, error.phase]).to.deep.equal(['rejected', 'guard']);
        expect(inspect(error)).to.not.include(endpoint);
      });

    it('not at an address of a private network, under an allowed name', async () => {
      const vendor = await start();
      const { port } = new URL(vendor.url);
      const push_hosts = [{ host: 'localhost', port: Number(port) }];
      const endpoint = `https://localhost:${port}/x`;
      const error = await failure(
        send(await open({ ...vapid, push_hosts }), { ...text, to: { subscription: { endpoint, keys } } }),
      );
      expect([error.outcome, error.phase]).to.deep.equal(['rejected', 'guard']);
      expect(vendor.accepted).to.equal(0);
    });

    it('and those that the operator adds, an exact one alone with a private address', () => {
      const check = compile(serviceBed.adapter.config);
      const faults = (host: object): number => check({ ...vapid, push_hosts: [host] }).length;
      expect(
        faults({ host: '*.push.example.com' }) + faults({ host: 'push.test', port: 8443, private: true }),
      ).to.equal(0);
      for (const host of ['*', 'https://push.test', 'push.test/x', '*.']) expect(faults({ host })).to.be.greaterThan(0);
      expect(faults({ host: '*.push.test', private: true })).to.be.greaterThan(0);
    });
  });

  it('shows the endpoint and the keys nowhere', async () => {
    const vendor = await start();
    const handle = await open(serviceBed.config(vendor.url));
    const { log, lines } = recordingLog();
    const inputs = { ...text, to: serviceBed.to(vendor.url) };
    const shown = [JSON.stringify(await send(handle, inputs, { log }))];
    for (const fault of [...serviceBed.answers.map(({ reply }) => reply), 'lost', 'reset'] as const) {
      vendor.fault = fault;
      shown.push(inspect(await failure(send(handle, inputs, { log })), { depth: 9 }));
    }
    for (const secret of [...serviceBed.secrets, '/wpush/', 'gAAAAABm-secret'])
      expect([...shown, ...lines].join('\n')).to.not.include(secret);
  });

  it('refuses a key that is no point of the curve', async () => {
    const vendor = await start();
    const p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString('base64url');
    const subscription = { ...subscriptionAt(vendor.url), keys: { ...keys, p256dh } };
    const error = await failure(send(await open(serviceBed.config(vendor.url)), { ...text, to: { subscription } }));
    expect([error.outcome, error.reason]).to.deep.equal(['rejected', 'recipient_unknown']);
    expect(inspect(error)).to.not.include(p256dh);
    expect(vendor.posts).to.have.length(0);
  });

  it('does not open with keys that are no pair, warns of them, and of a contact that Apple refuses', async () => {
    const changed = { ...vapid, private_key: newKeys().private_key };
    const error = await failure(opened(serviceBed.adapter, changed));
    expect([error.outcome, error.phase]).to.deep.equal(['provider_fault', 'open']);
    expect(error.message + String(error.remedy))
      .to.include('`public_key`')
      .and.not.include(changed.private_key);
    const warn = (config: object) => serviceBed.adapter.warningsOf?.(config as never);
    expect(warn(changed)).to.have.length(1);
    expect(warn({ ...vapid, subject: 'mailto:orb@localhost' })?.join()).to.match(/Apple/);
    expect(warn(vapid)).to.deep.equal([]);
  });

  it('takes only keys and contacts of the right form', () => {
    const check = compile(serviceBed.adapter.config);
    expect(check({ ...vapid, subject: 'https://example.com/contact' })).to.deep.equal([]);
    for (const wrong of [
      ...[{ subject: 'push@example.com' }, { subject: 'http://example.com' }, { subject: 'mailto:push' }],
      ...[{ private_key: 'short' }, { public_key: vapid.private_key }, { public_key: `${vapid.public_key}=` }],
    ])
      expect(check({ ...vapid, ...wrong }), JSON.stringify(wrong)).to.not.deep.equal([]);
  });
});
