import { expect } from 'chai';
import { compile } from '../../../../kernel/index.ts';
import { conformance, type Fault } from '../../../helpers/conformance.ts';
import { closedPort, startVendor, type VendorFault, type VendorServer } from '../../../helpers/vendor.ts';
import { failure, noSignal } from '../smtp-bed.ts';
import type { VendorBed } from './bed.ts';
import { survivesNetwork } from './network.ts';
import { createStage, full, inputs, send } from './stage.ts';

/** Declares everything that holds for each vendor. */
export function vendorSuite(bed: VendorBed): void {
  describe('as any adapter', () => conforms(bed));
  describe('sends what it was given', () => mapsFields(bed));
  describe('reads answers', () => readsAnswers(bed));
  describe('when the network fails', () => survivesNetwork(bed));
  describe('proves itself', () => probes(bed));
}

function conforms(bed: VendorBed): void {
  let vendor: VendorServer;
  before(async () => {
    vendor = await startVendor(bed.contract);
  });
  after(() => vendor.close());
  let taken = 0;
  beforeEach(() => {
    taken = vendor.taken;
  });
  const failing = (fault: VendorFault): Pick<Fault, 'arrange' | 'restore'> => ({
    arrange: () => void (vendor.fault = fault),
    restore: () => void (vendor.fault = undefined),
  });
  const huge = { ...bed.success, headers: {}, body: { ...(bed.success.body as object), filler: 'x'.repeat(70_000) } };
  conformance({
    adapter: bed.adapter,
    orbId: 'notify.email@1.0.0',
    config: () => bed.config(vendor.url),
    inputs: full,
    secrets: bed.secrets,
    receiver: () => ({
      effects: () => vendor.taken - taken,
      calls: () => vendor.posts.length,
      quiet: () => vendor.quiet(),
    }),
    faults: [
      ...bed.answers.map(({ name, reply, outcome }) => ({ name, outcome, calls: 1, ...failing(reply) })),
      ...[408, 500, 502, 503, 504, 529].map((status) => ({
        name: `${status}, which may come after acceptance`,
        outcome: 'unknown' as const,
        phase: 'response',
        calls: 1,
        ...failing({ status, body: 'upstream error' }),
      })),
      ...[301, 302, 307, 308].map((status) => ({
        name: `${status}, which is not followed`,
        outcome: 'provider_fault' as const,
        calls: 1,
        ...failing({ status, headers: { location: '/' } }),
      })),
      { name: 'a success without an id', outcome: 'unknown', phase: 'response', calls: 1, ...failing(bed.withoutId) },
      { name: 'an empty success', outcome: 'unknown', phase: 'response', calls: 1, ...failing({ status: 200 }) },
      {
        name: 'a success that is no JSON',
        outcome: 'unknown',
        calls: 1,
        ...failing({ status: 200, body: '{"id": "x' }),
      },
      { name: 'a success that is a list', outcome: 'unknown', calls: 1, ...failing({ status: 200, body: [] }) },
      { name: 'a success of 70 kB', outcome: 'unknown', phase: 'response', calls: 1, ...failing(huge) },
      { name: 'a reset before it was read', outcome: 'unknown', phase: 'data', calls: 0, ...failing('reset') },
      { name: 'a reset after it was taken', outcome: 'unknown', phase: 'data', calls: 1, ...failing('lost') },
      {
        name: 'no vendor',
        outcome: 'not_sent',
        phase: 'connect',
        calls: 0,
        arrange: async () => bed.config(`http://127.0.0.1:${await closedPort()}`),
      },
      {
        name: 'a name that cannot exist',
        outcome: 'not_sent',
        phase: 'dns',
        calls: 0,
        arrange: () => bed.config(`https://${'x'.repeat(64)}.invalid`),
      },
      {
        name: 'no TLS',
        outcome: 'not_sent',
        phase: 'tls',
        calls: 0,
        arrange: () => bed.config(vendor.url.replace('http:', 'https:')),
      },
      {
        name: 'inputs that the capability refuses',
        outcome: 'rejected',
        calls: 0,
        inputs: { ...inputs, subject: 'a\r\nBcc: x@evil.test' },
        arrange: () => undefined,
      },
    ],
    hang: () => {
      vendor.fault = 'hang';
      return { stuck: vendor.reached(), outcome: 'unknown', restore: () => void (vendor.fault = undefined) };
    },
  });
}

function mapsFields(bed: VendorBed): void {
  const { vendor: start, open } = createStage(bed);

  it('every field, in any script, and answers the id of the vendor', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    expect(await send(handle, { given: full })).to.deep.equal({ message_id: bed.id });
    const [request, ...others] = vendor.posts;
    expect(others).to.have.length(0);
    expect(request && bed.posted(request)).to.deep.equal({
      from: 'Orb, Inc. <orb@mg.example.com>',
      to: ['Ada <ada@example.org>', 'Lovelace, "A" <al@example.org>'],
      cc: ['Žofie Nováková <zofie@example.org>'],
      bcc: ['audit@example.org', 'log@example.org'],
      reply_to: ['a@example.com', 'B <b@example.com>'],
      subject: full.subject,
      text: full.body,
      html: full.html,
      attachments: [
        { name: 'rechnung "ü".pdf', type: 'application/pdf', content: 'JVBERi0xLjcNCg==' },
        { name: 'data.bin', type: 'application/octet-stream', content: 'AAH+/w0KDQot' },
      ],
    });
  });

  it('nothing that was not given', async () => {
    const vendor = await start();
    await send(await open(bed.config(vendor.url)));
    const [request] = vendor.posts;
    expect(request && bed.posted(request)).to.deep.equal({
      from: 'Orb <orb@mg.example.com>',
      to: ['ada@example.org'],
      cc: [],
      bcc: [],
      reply_to: [],
      subject: 'Hi',
      text: 'Hello',
      html: undefined,
      attachments: [],
    });
    expect(vendor.taken).to.equal(1);
  });

  it('over one kept connection, one call after the other', async () => {
    const vendor = await start();
    const handle = await open({ ...bed.config(vendor.url), max_connections: 1 });
    await Promise.all([send(handle), send(handle), send(handle)]);
    expect([vendor.taken, vendor.accepted]).to.deep.equal([3, 1]);
  });
}

function readsAnswers(bed: VendorBed): void {
  const { vendor: start, open } = createStage(bed);

  for (const { name, reply, outcome, reason, shows } of bed.answers)
    it(`and says in one line what ${name} means: ${outcome}`, async () => {
      const vendor = await start();
      vendor.fault = reply;
      const error = await failure(send(await open(bed.config(vendor.url))));
      expect([error.outcome, error.reason]).to.deep.equal([outcome, reason]);
      expect(error.message)
        .to.include(String(reply.status))
        .and.include(shows ?? '');
      expect(error.message)
        .to.match(/^[ -~]{1,160}$/)
        .and.not.match(/@|ada|example/);
      expect(error.cause).to.equal(undefined);
      expect(vendor.posts, 'one request, no retry').to.have.length(1);
    });

  it('and passes on how long it is to wait', async () => {
    const vendor = await start();
    vendor.fault = { status: 429, headers: { 'retry-after': '7' }, body: {} };
    const error = await failure(send(await open(bed.config(vendor.url))));
    expect([error.outcome, error.retry_after]).to.deep.equal(['throttled', 7]);
  });

  it('by the status alone when a refusal breaks off or is long', async () => {
    const vendor = await start();
    vendor.fault = { status: 422, body: 'x'.repeat(200_000) };
    expect((await failure(send(await open(bed.config(vendor.url))))).outcome).to.equal('rejected');
  });
}

function probes(bed: VendorBed): void {
  const { vendor: start, open } = createStage(bed);

  it('with its credentials and without a message', async () => {
    const vendor = await start();
    await (await open(bed.config(vendor.url))).probe?.(noSignal());
    expect([vendor.taken, vendor.posts.length]).to.deep.equal([0, 0]);
  });

  it('not with wrong credentials', async () => {
    const vendor = await start();
    const handle = await open({ ...bed.config(vendor.url), [bed.credential]: 'wrong' });
    expect((await failure(handle.probe?.(noSignal()))).outcome).to.equal('provider_fault');
    expect((await failure(send(handle))).outcome).to.equal('provider_fault');
    expect(vendor.taken).to.equal(0);
  });

  const failures = { 301: 'provider_fault', 404: 'provider_fault', 429: 'throttled', 500: 'unknown' };
  for (const [status, outcome] of Object.entries(failures))
    it(`not when it is answered ${status}: ${outcome}`, async () => {
      const vendor = await start();
      vendor.fault = { status: Number(status), body: {} };
      const error = await failure((await open(bed.config(vendor.url))).probe?.(noSignal()));
      expect(error.outcome).to.equal(outcome);
    });

  it('within the time it is given', async () => {
    const vendor = await start();
    vendor.fault = 'hang';
    const deadline = new AbortController();
    const reached = vendor.reached();
    const call = failure((await open(bed.config(vendor.url))).probe?.(deadline.signal));
    await reached;
    deadline.abort();
    expect((await call).outcome).to.equal('not_sent');
  });

  it('over https, or over http to this machine alone', () => {
    const check = compile(bed.adapter.config);
    const faults = (url: string): number => check(structuredClone(bed.config(url))).length;
    for (const url of [
      'https://api.example.com',
      'https://api.example.com:8443',
      'http://localhost:1',
      'http://[::1]:1',
    ])
      expect(faults(url), url).to.equal(0);
    for (const url of [
      'http://api.example.com',
      'http://127.0.0.1.example.com',
      'http://localhost.example.com',
      'https://user:pw@api.example.com',
      'http://127.0.0.1@api.example.com',
      'https://api.example.com/path',
      'https://api.example.com\r\nx: y',
      'ftp://api.example.com',
      '//api.example.com',
    ])
      expect(faults(url), url).to.be.greaterThan(0);
  });

  it('with a credential that fits into a header', () => {
    const check = compile(bed.adapter.config);
    for (const bad of ['', 'a b', 'a\r\nx: y', 'ä'])
      expect(check({ ...bed.config('http://localhost'), [bed.credential]: bad })).not.to.deep.equal([]);
  });
}
