import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Outbound } from '../../../kernel/outbound.ts';
import { Collector, openCollector } from '../../../plugins/telemetry/collector.ts';
import type { Target } from '../../../plugins/telemetry/settings.ts';
import { closedPort, startVendor, type VendorFault, type VendorServer } from '../../helpers/vendor.ts';

const secret = 's3cret-value';

const targetOf = ({ url }: VendorServer): Target => ({
  ...{ origin: url, path: `/v1/traces?token=${secret}`, headers: { authorization: secret } },
  ...{ json: false, gzip: false, timeoutMs: 300 },
});

describe('a collector', function () {
  let vendor: VendorServer;
  let collector: Collector | undefined;

  const open = async (more: Partial<Target> = {}): Promise<Collector> =>
    (collector = await openCollector({ ...targetOf(vendor), ...more }));
  const failureOf = async (sent: Promise<unknown>): Promise<string> =>
    sent.then(
      () => expect.fail('it was taken'),
      (error: Error) => error.message,
    );

  beforeEach(async () => {
    vendor = await startVendor(() => ({ status: 200, body: 'answer' }));
  });
  afterEach(async () => {
    await collector?.close();
    await vendor.close();
  });

  it('gets the bytes with the headers of the settings', async () => {
    const answer = await (await open()).send(Buffer.from('bytes'));
    expect(Buffer.from(answer).toString()).to.equal('answer');
    const [post] = vendor.posts;
    expect(post?.headers).to.include({ authorization: secret, 'content-type': 'application/x-protobuf' });
    expect(post?.body.toString()).to.equal('bytes');
  });

  it('gets them compressed', async () => {
    await (await open({ gzip: true, json: true })).send(Buffer.from('bytes'));
    const [post] = vendor.posts;
    expect(post?.headers).to.include({ 'content-encoding': 'gzip', 'content-type': 'application/json' });
    expect(gunzipSync(post?.body ?? Buffer.alloc(0)).toString()).to.equal('bytes');
  });

  // Each ends within the time limit, and says neither the address nor a header.
  const faults: readonly (readonly [string, VendorFault, number, RegExp])[] = [
    ['refuses', { status: 400, body: secret }, 1, /^it answered 400$/],
    ['refuses the key', { status: 401 }, 1, /^it answered 401$/],
    ['leads elsewhere', { status: 307, headers: { location: '/other' } }, 1, /^it answered 307$/],
    [
      'is busy for longer than the export lasts',
      { status: 503, headers: { 'retry-after': '3600' } },
      1,
      /^it answered 503$/,
    ],
    ['is busy', { status: 429 }, 1, /^it answered 429$/],
    ['is silent', 'hang', 1, /^it did not answer in time$/],
    ['resets', 'lost', 1, /^no connection \(\w+\)$/],
  ];
  for (const [name, fault, requests, sentence] of faults)
    it(`that ${name} fails the export in time`, async () => {
      vendor.fault = fault;
      expect(await failureOf((await open()).send(Buffer.from('x')))).to.match(sentence);
      expect(vendor.posts).to.have.lengthOf(requests);
    });

  it('that is not there fails the export in time', async () => {
    const origin = `http://127.0.0.1:${await closedPort()}`;
    expect(await failureOf((await open({ origin })).send(Buffer.from('x')))).to.equal('no connection (ECONNREFUSED)');
  });

  it('is asked again when it says so, and then takes the export', async () => {
    vendor.fault = { status: 503, headers: { 'retry-after': '1' } };
    const sent = (await open({ timeoutMs: 5000 })).send(Buffer.from('x'));
    await vendor.reached();
    vendor.fault = undefined;
    await sent;
    expect(vendor.posts).to.have.lengthOf(2);
  });

  it('that asked for a pause gets no request meanwhile', async () => {
    vendor.fault = { status: 429, headers: { 'retry-after': '30' } };
    const asked = await open();
    await failureOf(asked.send(Buffer.from('x')));
    vendor.fault = undefined;
    expect(await failureOf(asked.send(Buffer.from('y')))).to.equal('it asked for a pause');
    expect(vendor.posts).to.have.lengthOf(1);
  });

  it('may answer more than is read, or only half of it', async () => {
    const asked = await open();
    vendor.fault = { status: 200, body: 'x'.repeat(1_000_000) };
    expect(await asked.send(Buffer.from('x'))).to.have.lengthOf(0);
    vendor.fault = 'drop';
    expect(await asked.send(Buffer.from('x'))).to.have.lengthOf(0);
    vendor.fault = 'stall';
    expect(await asked.send(Buffer.from('x'))).to.have.lengthOf(0);
  });

  it('that is closed fails what is under way', async () => {
    vendor.fault = 'hang';
    const asked = await open({ timeoutMs: 60_000 });
    const failure = failureOf(asked.send(Buffer.from('x')));
    await vendor.reached();
    await asked.close();
    expect(await failure).to.equal('the server stopped before it answered');
    expect(await failureOf(asked.send(Buffer.from('y')))).to.equal('the server stopped before it answered');
  });

  it('that is closed in the pause after a failure says that failure', async () => {
    const { promise: refused, resolve } = Promise.withResolvers<undefined>();
    const request = (): Promise<never> => {
      resolve(undefined);
      return Promise.reject(Object.assign(new Error(secret), { code: 'ECONNREFUSED' }));
    };
    const outbound = { request, close: async () => undefined } as unknown as Outbound;
    const failing = new Collector({ ...targetOf(vendor), timeoutMs: 60_000 }, outbound);
    const failure = failureOf(failing.send(Buffer.from('x')));
    await refused;
    await nextTurn();
    await failing.close();
    expect(await failure).to.equal('no connection (ECONNREFUSED)');
  });
});
