import { expect } from 'chai';
import { createRequire } from 'node:module';
import { send, text, createStage } from './vendors/bed.ts';
import { messageIn, newKeys, serviceBed, subscriptionAt, vapid } from './vendors/service.ts';

interface Details {
  readonly method: string;
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

/** The library that most senders use; it makes requests that the test sends. */
interface WebPush {
  generateRequestDetails(subscription: object, payload: string, options: object): Details;
  generateVAPIDKeys(): { readonly publicKey: string; readonly privateKey: string };
}

const judge = createRequire(import.meta.url)('web-push') as WebPush;

describe('the double of a push service', () => {
  const { vendor: start, open } = createStage(serviceBed);
  const payload = JSON.stringify({ ...text, tag: 'c' });
  const signer = { subject: vapid.subject, publicKey: vapid.public_key, privateKey: vapid.private_key };
  const options = { vapidDetails: signer, contentEncoding: 'aes128gcm', TTL: 60, urgency: 'high', topic: 'c' };

  async function post({ endpoint, headers, body, method }: Details, more: object = {}): Promise<number> {
    const texts = Object.fromEntries(
      Object.entries({ ...headers, ...more }).map(([name, value]) => [name, String(value)]),
    );
    delete texts['Content-Length'];
    return (await fetch(endpoint, { method, headers: texts, body: new Uint8Array(body) })).status;
  }

  it('accepts what the library web-push sends and what the adapter sends, and reads the same in both', async () => {
    const vendor = await start();
    const subscription = subscriptionAt(vendor.url);
    expect(await post(judge.generateRequestDetails(subscription, payload, options))).to.equal(201);
    const inputs = { ...text, collapse: 'c', ttl_s: 60, urgency: 'high', to: { subscription } };
    await send(await open(serviceBed.config(vendor.url)), inputs);
    expect(vendor.taken).to.equal(2);
    const [theirs, ours] = vendor.posts;
    expect(ours && messageIn(ours)).to.deep.equal(theirs && messageIn(theirs));
    for (const name of ['ttl', 'urgency', 'topic', 'content-encoding', 'content-type', 'content-length'])
      expect(ours?.headers[name], name).to.equal(theirs?.headers[name]);
    expect(Object.keys(ours?.headers ?? {})).to.include.members(['authorization', 'host']);
  });

  const other = newKeys();
  for (const [name, status, change] of [
    ['no TTL', 400, { TTL: '' }],
    ['another coding', 400, { 'Content-Encoding': 'aesgcm' }],
    ['a topic of 33 characters', 400, { Topic: 'x'.repeat(33) }],
    ['an unknown urgency', 400, { Urgency: 'urgent' }],
    ['no signature', 401, { Authorization: 'none' }],
  ] as const)
    it(`refuses ${name} of the library: ${status}`, async () => {
      const vendor = await start();
      const made = judge.generateRequestDetails(subscriptionAt(vendor.url), payload, options);
      expect(await post(made, change)).to.equal(status);
      expect(vendor.taken).to.equal(0);
    });

  it('refuses a signature by another key or for another origin', async () => {
    const vendor = await start();
    const subscription = subscriptionAt(vendor.url);
    const by = { ...signer, publicKey: other.public_key, privateKey: other.private_key };
    const otherKey = judge.generateRequestDetails(subscription, payload, { ...options, vapidDetails: by });
    expect(await post(otherKey)).to.equal(401);
    const elsewhere = judge.generateRequestDetails(subscriptionAt('https://push.example.com'), payload, options);
    expect(await post({ ...elsewhere, endpoint: (subscription as { endpoint: string }).endpoint })).to.equal(401);
    expect(vendor.taken).to.equal(0);
  });

  it('knows the keys that the library makes, which the adapter takes', async () => {
    const { publicKey: public_key, privateKey: private_key } = judge.generateVAPIDKeys();
    await open({ ...vapid, public_key, private_key });
  });
});
