import { expect } from 'chai';
import { conformance } from '../../../helpers/conformance.ts';
import { closedPort, startVendor, type VendorFault, type VendorServer } from '../../../helpers/vendor.ts';
import { createStage, full, inputs, refused, report_url, send, token, type SmsBed } from './bed.ts';

/** Declares everything that holds for each vendor of text messages. */
export function smsSuite(bed: SmsBed): void {
  describe('as any adapter', () => conforms(bed));
  describe('reads answers', () => readsAnswers(bed));
  describe('finds the sender', () => findsSender(bed));
  describe('proves itself', () => probes(bed));
}

function conforms(bed: SmsBed): void {
  let vendor: VendorServer;
  let taken = 0;
  before(async () => {
    vendor = await startVendor(bed.contract);
  });
  after(() => vendor.close());
  beforeEach(() => {
    taken = vendor.taken;
  });
  const fault = (name: string, outcome: 'unknown' | 'provider_fault', given: VendorFault, calls = 1) => ({
    ...{ name, outcome, calls },
    arrange: () => void (vendor.fault = given),
    restore: () => void (vendor.fault = undefined),
  });
  conformance({
    adapter: bed.adapter,
    orbId: 'notify.sms@1.0.0',
    config: () => bed.config(vendor.url),
    inputs: full,
    secrets: bed.secrets,
    receiver: () => ({
      effects: () => vendor.taken - taken,
      calls: () => vendor.posts.length,
      quiet: () => vendor.quiet(),
    }),
    faults: [
      ...[408, 500, 502, 503, 504, 529].map((status) =>
        fault(`${status}, which may come after acceptance`, 'unknown', { status, body: 'upstream error' }),
      ),
      ...[301, 307, 308].map((status) =>
        fault(`${status}, which is not followed`, 'provider_fault', { status, headers: { location: '/' } }),
      ),
      ...bed.unproven.map((reply, at) => fault(`a success that proves nothing (${at + 1})`, 'unknown', reply)),
      fault('an empty success', 'unknown', { status: bed.success.status }),
      fault('a success of 70 kB', 'unknown', { ...bed.success, body: 'x'.repeat(70_000) }),
      fault('a reset before it was read', 'unknown', 'reset', 0),
      fault('a reset after it was taken', 'unknown', 'lost'),
      fault('half an answer', 'unknown', 'drop'),
      {
        name: 'no vendor',
        outcome: 'not_sent',
        phase: 'connect',
        calls: 0,
        arrange: async () => bed.config(`http://127.0.0.1:${await closedPort()}`),
      },
      {
        name: 'inputs that the capability refuses',
        outcome: 'rejected',
        calls: 0,
        inputs: { ...inputs, text: 'a\0b' },
        arrange: () => undefined,
      },
    ],
    hang: () => {
      vendor.fault = 'hang';
      return { stuck: vendor.reached(), outcome: 'unknown', restore: () => void (vendor.fault = undefined) };
    },
  });
}

function readsAnswers(bed: SmsBed): void {
  const { vendor: start, open } = createStage(bed);

  it('of acceptance', async () => {
    const vendor = await start();
    const { outputs } = await send(await open(bed.config(vendor.url)));
    expect(outputs).to.deep.equal(bed.outputs);
  });

  for (const { name, outcome, reason, source, read, ...reply } of bed.answers)
    it(`and says in one line what ${name} means: ${reason ?? outcome}`, async () => {
      const vendor = await start();
      vendor.fault = reply;
      const handle = await open(bed.config(vendor.url));
      const { error, said } = await send(handle);
      expect([error?.outcome, error?.reason], `${source}, read on ${read}`).to.deep.equal([outcome, reason]);
      expect(error?.message)
        .to.include(String(reply.status))
        .and.match(/^[ -~]{1,160}$/);
      for (const secret of [...bed.secrets, token, inputs.to.slice(1)]) expect(said).not.to.include(secret);
      expect(vendor.posts, 'one request, no retry').to.have.length(1);
    });

  it('and passes on how long it is to wait', async () => {
    const vendor = await start();
    vendor.fault = { status: 429, headers: { 'retry-after': '7' }, body: {} };
    const error = await refused(await open(bed.config(vendor.url)));
    expect([error.outcome, error.retry_after]).to.deep.equal(['throttled', 7]);
  });
}

function findsSender(bed: SmsBed): void {
  const { vendor: start, open } = createStage(bed);

  it('by its alias, and rejects what it does not have', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    await send(handle, { given: { ...inputs, from: 'alerts' } });
    await send(handle);
    const [first, second] = vendor.posts.map((request) => bed.posted(request));
    expect([first?.from, second?.from]).to.deep.equal([
      'Example',
      bed.adapter.name === 'sms/vonage' ? '4915100000000' : '+4915100000000',
    ]);
    for (const from of ['other', 'constructor', '__proto__']) {
      const error = await refused(handle, { given: { ...inputs, from } });
      expect([error.outcome, error.reason]).to.deep.equal(['rejected', 'sender_refused']);
    }
    const without = await open({ ...bed.config(vendor.url), senders: { alerts: 'Example' } });
    expect((await refused(without)).reason).to.equal('sender_refused');
    expect(vendor.posts).to.have.length(2);
  });

  it('and asks for reports only where the provider has a source of them', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    await send(handle);
    await send(handle, { reports: false });
    const [first, second] = vendor.posts.map((request) => bed.posted(request).report_url);
    expect([first?.startsWith(report_url), second]).to.deep.equal([true, undefined]);
  });
}

function probes(bed: SmsBed): void {
  const { vendor: start, open } = createStage(bed);
  const probe = async (config: object): Promise<unknown> => {
    const signal = new AbortController().signal;
    return (await open(config)).probe?.(signal).catch((error: unknown) => error);
  };

  it('by a message that cannot be sent', async () => {
    const vendor = await start();
    expect(await probe(bed.config(vendor.url))).to.equal(undefined);
    expect([vendor.posts.length, vendor.taken]).to.deep.equal([1, 0]);
  });

  it('not with wrong credentials', async () => {
    const vendor = await start();
    const config = { ...bed.config(vendor.url), [bed.credential]: 'wrong' };
    expect(await probe(config)).to.include({ outcome: 'provider_fault' });
    expect((await refused(await open(config))).outcome).to.equal('provider_fault');
    expect(vendor.taken).to.equal(0);
  });

  const failures = { 200: 'unknown', 301: 'provider_fault', 404: 'provider_fault', 429: 'throttled', 500: 'unknown' };
  for (const [status, outcome] of Object.entries(failures))
    it(`not when it is answered ${status}: ${outcome}`, async () => {
      const vendor = await start();
      vendor.fault = { status: Number(status), body: {} };
      expect(await probe(bed.config(vendor.url))).to.include({ outcome });
    });
}
