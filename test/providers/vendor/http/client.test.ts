import { expect } from 'chai';
import { startVendor, type VendorServer } from '../../../helpers/vendor.ts';
import { openClient, type Client } from '../../../../providers/vendor/http/client.ts';
import { failure } from '../../email/smtp-bed.ts';

const call = { method: 'POST', path: '/', headers: {}, body: Buffer.from('{}') } as const;

describe('the client of a vendor', () => {
  let vendor: VendorServer;
  let client: Client;
  let answer: object = {};
  beforeEach(async () => {
    answer = {};
    vendor = await startVendor(() => ({ status: 200, body: answer }));
    const times = { connect_timeout_ms: 5000, response_timeout_ms: 5000 };
    client = await openClient({ base_url: vendor.url, max_connections: 1, ...times });
  });
  afterEach(async () => {
    await client.close();
    await vendor.close();
  });

  it('writes nothing once its signal is aborted, even when the library beneath has not noticed it', async () => {
    const { signal } = new AbortController();
    let aborted = false;
    // Aborted without the event: whatever the library does with the signal must not matter.
    Object.defineProperty(signal, 'aborted', { get: () => aborted });
    const calling = failure(client.call(call, signal));
    aborted = true;
    const { outcome, phase } = await calling;
    expect([outcome, phase, vendor.posts]).to.deep.equal(['not_sent', 'deadline', []]);
    expect((await client.call(call, new AbortController().signal)).status).to.equal(200);
    expect(vendor.posts).to.have.length(1);
  });

  it('begins nothing when its signal was aborted before', async () => {
    const { outcome, phase } = await failure(client.call(call, AbortSignal.abort()));
    expect([outcome, phase, vendor.accepted]).to.deep.equal(['not_sent', 'deadline', 0]);
  });

  it('reads an answer of 64 KiB, and takes a longer one for none', async () => {
    const filled = (bytes: number) => ({ filler: 'x'.repeat(bytes - '{"filler":""}'.length) });
    const signal = new AbortController().signal;
    answer = filled(65_536);
    expect((await client.call(call, signal)).body).to.deep.equal(answer);
    answer = filled(65_537);
    expect((await client.call(call, signal)).body).to.equal(undefined);
  });

  it('takes the first of a header that came twice', async () => {
    // A server may write a header in several lines; the type of the vendor knows one.
    vendor.fault = { status: 200, headers: { 'x-id': ['one', 'two'] as unknown as string } };
    const { headers } = await client.call(call, new AbortController().signal);
    expect(headers['x-id']).to.equal('one');
  });

  it('leaves nothing that listens to the signal of a call behind', async () => {
    const { signal } = new AbortController();
    let listening = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => (listening++, add(...given));
    signal.removeEventListener = (...given: Parameters<typeof remove>) => (listening--, remove(...given));
    await client.call(call, signal);
    expect(listening).to.be.at.most(0);
  });
});
