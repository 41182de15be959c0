import { expect } from 'chai';
import { inspect } from 'node:util';
import { conformance, type Fault } from '../../../helpers/conformance.ts';
import { closedPort, startVendor, type VendorFault, type VendorServer } from '../../../helpers/vendor.ts';
import { createStage, failure, full, send, text, type PushBed } from './bed.ts';

/** Declares all that holds for each vendor. */
export function vendorSuite(bed: PushBed): void {
  describe('as any adapter', () => conforms(bed));
  describe('reads each documented answer', () => readsAnswers(bed));
  describe('when the network fails', () => survivesNetwork(bed));
}

function conforms(bed: PushBed): void {
  let vendor: VendorServer;
  let away = '';
  // Filled in when the port is known; the suite keeps the object.
  const inputs: Record<string, unknown> = { ...full };
  const nowhere: Record<string, unknown> = { ...full };
  before(async () => {
    vendor = await startVendor(bed.contract);
    inputs['to'] = bed.to(vendor.url);
    away = `http://127.0.0.1:${await closedPort()}`;
    nowhere['to'] = bed.to(away);
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
  const unknown = { outcome: 'unknown', phase: 'response', calls: 1 } as const;
  conformance({
    adapter: bed.adapter,
    orbId: 'notify.push@1.0.0',
    config: () => bed.config(vendor.url),
    inputs,
    secrets: bed.secrets,
    receiver: () => ({
      effects: () => vendor.taken - taken,
      calls: () => vendor.posts.length,
      quiet: () => vendor.quiet(),
    }),
    faults: [
      ...bed.answers.map(({ name, reply, outcome }) => ({ name, outcome, calls: 1, ...failing(reply) })),
      ...[408, 500, 502, 503, 504].map((status) => ({
        name: `${status}, which may come after acceptance`,
        ...unknown,
        ...failing({ status, headers: { 'retry-after': '5' }, body: 'upstream error' }),
      })),
      ...[301, 307, 308].map((status) => ({
        name: `${status}, which is not followed`,
        outcome: 'provider_fault' as const,
        calls: 1,
        ...failing({ status, headers: { location: '/' } }),
      })),
      ...bed.unproven.map((reply, index) => ({
        name: `a success that proves nothing (${index})`,
        ...unknown,
        ...failing(reply),
      })),
      { name: 'a reset before it was read', outcome: 'unknown', phase: 'data', calls: 0, ...failing('reset') },
      { name: 'a reset after it was taken', outcome: 'unknown', phase: 'data', calls: 1, ...failing('lost') },
      {
        name: 'no vendor',
        outcome: 'not_sent',
        phase: 'connect',
        calls: 0,
        inputs: nowhere,
        arrange: () => bed.config(away),
      },
      {
        name: 'a recipient that it cannot serve',
        outcome: 'rejected',
        calls: 0,
        inputs: { ...text, to: { user: 'ada' } },
        arrange: () => undefined,
      },
    ],
    hang: () => {
      vendor.fault = 'hang';
      return { stuck: vendor.reached(), outcome: 'unknown', restore: () => void (vendor.fault = undefined) };
    },
  });
}

function readsAnswers(bed: PushBed): void {
  const { vendor: start, open } = createStage(bed);

  for (const { name, reply, outcome, reason, source, date } of bed.answers)
    it(`${reply.status}, ${name}: ${outcome}${reason === undefined ? '' : ` (${reason})`}`, async () => {
      expect([source, date].join(' ')).to.match(/^[a-z0-9.-]+\.[a-z]+(?:\/\S*)? 2026-\d\d-\d\d$/);
      const vendor = await start();
      vendor.fault = reply;
      const error = await failure(send(await open(bed.config(vendor.url)), { ...text, to: bed.to(vendor.url) }));
      expect([error.outcome, error.reason]).to.deep.equal([outcome, reason]);
      expect(error.message)
        .to.match(/^[ -~]{1,160}$/)
        .and.include(String(reply.status));
      for (const secret of bed.secrets) expect(inspect(error)).to.not.include(secret);
      expect(error.cause).to.equal(undefined);
      expect(vendor.posts, 'one request, no retry').to.have.length(1);
    });

  it('and passes on how long to wait', async () => {
    const vendor = await start();
    vendor.fault = { status: 429, headers: { 'retry-after': '7' }, body: {} };
    const error = await failure(send(await open(bed.config(vendor.url)), { ...text, to: bed.to(vendor.url) }));
    expect([error.outcome, error.retry_after]).to.deep.equal(['throttled', 7]);
  });
}

function survivesNetwork(bed: PushBed): void {
  const { vendor: start, open } = createStage(bed);
  const brief = { response_timeout_ms: 200, connect_timeout_ms: 200 };

  it('gives up by itself on a vendor that is silent', async () => {
    const vendor = await start();
    vendor.fault = 'hang';
    const handle = await open({ ...bed.config(vendor.url), ...brief });
    const error = await failure(send(handle, { ...text, to: bed.to(vendor.url) }));
    expect([error.outcome, error.phase]).to.deep.equal(['unknown', 'data']);
  });

  it('sends nothing once the deadline has passed, or to a vendor whose certificate is not trusted', async () => {
    const vendor = await start({ tls: true });
    const inputs = { ...text, to: bed.to(vendor.url) };
    const handle = await open(bed.config(vendor.url));
    const late = await failure(send(handle, inputs, { signal: AbortSignal.abort() }));
    expect([late.outcome, late.phase]).to.deep.equal(['not_sent', 'deadline']);
    const untrusted = await failure(send(handle, inputs));
    expect([untrusted.outcome, untrusted.phase]).to.deep.equal(['not_sent', 'tls']);
    for (const secret of bed.secrets) expect(inspect(untrusted)).to.not.include(secret);
    expect(vendor.posts).to.have.length(0);
  });

  it('sends many messages over one kept connection', async () => {
    const vendor = await start();
    const handle = await open({ ...bed.config(vendor.url), max_connections: 1 });
    const inputs = { ...text, to: bed.to(vendor.url) };
    await Promise.all([send(handle, inputs), send(handle, inputs), send(handle, inputs)]);
    expect([vendor.taken, vendor.accepted]).to.deep.equal([3, 1]);
  });
}
