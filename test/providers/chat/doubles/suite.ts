import { expect } from 'chai';
import { compile } from '../../../../kernel/index.ts';
import { startCutter, type CutAt, type Cutter } from '../../../helpers/cutter.ts';
import { startVendor, type VendorServer } from '../../../helpers/vendor.ts';
import { failure, noSignal } from '../../email/smtp-bed.ts';
import { send } from '../vendors/suite.ts';
import { opened, type Double, type DoubleBed } from './bed.ts';

/** Declares what holds for each vendor that is kept as a double. */
export function doubleSuite(bed: DoubleBed): void {
  let double: Double;
  let vendor: VendorServer;
  beforeEach(async () => {
    double = bed.double();
    vendor = await startVendor(double.contract);
  });
  afterEach(() => vendor.close());
  const probe = async (config: object): Promise<void> => {
    const handle = await opened(bed.adapter, config);
    try {
      await handle.probe?.(noSignal());
    } finally {
      await handle.close?.();
    }
  };
  const post = async (config: object, key: string): Promise<Record<string, unknown>> => {
    const handle = await opened(bed.adapter, config);
    try {
      return await send(handle, { key });
    } finally {
      await handle.close?.();
    }
  };

  describe('proves itself', () => {
    it('with its credentials and without a message', async () => {
      await probe(bed.config(vendor.url));
      expect([vendor.posts.length, double.messages.length]).to.deep.equal([0, 0]);
    });

    it('not with wrong credentials', async () => {
      expect((await failure(probe(bed.wrong(vendor.url)))).outcome).to.equal('provider_fault');
      expect((await failure(post(bed.wrong(vendor.url), 'c'))).outcome).to.equal('provider_fault');
      expect(double.messages).to.deep.equal([]);
    });

    const failures = { 301: 'provider_fault', 404: 'provider_fault', 429: 'throttled', 500: 'unknown' };
    for (const [status, outcome] of Object.entries(failures))
      it(`not when it is answered ${status}: ${outcome}`, async () => {
        vendor.fault = { status: Number(status), body: {} };
        expect((await failure(probe(bed.config(vendor.url)))).outcome).to.equal(outcome);
      });

    it('over https, or over http to this machine alone', () => {
      const check = compile(bed.adapter.config);
      const faults = (url: string): number =>
        check(structuredClone({ ...bed.config('http://localhost'), base_url: url })).length;
      expect(['https://chat.example.com:8443', 'http://[::1]:1'].map(faults)).to.deep.equal([0, 0]);
      for (const url of ['http://chat.example.com', 'https://u:p@chat.example.com', 'https://chat.example.com/path'])
        expect(faults(url), url).to.be.greaterThan(0);
    });
  });

  it('passes on how long it is to wait, wherever the vendor tells it', async () => {
    const timed = bed.answers.filter(({ retry_after }) => retry_after !== undefined);
    expect(timed.length).to.be.greaterThan(0);
    for (const { name, reply, retry_after } of timed) {
      vendor.fault = reply;
      expect((await failure(post(bed.config(vendor.url), 'c'))).retry_after, name).to.equal(retry_after);
    }
  });

  if (bed.native) describe('makes one message of calls with one key', () => repeats(bed));
}

const ways = ['request', 'answer'] as const;
// All places with CHAT_CUTS=all; else some 60 of each way.
const places = process.env['CHAT_CUTS'] === 'all' ? Infinity : 60;

/** Declares that a vendor that knows our key makes one message of a call and its repetition, wherever the first ends. */
export function repeats(bed: DoubleBed): void {
  let double: Double;
  let vendor: VendorServer;
  let cutter: Cutter;
  beforeEach(async () => {
    double = bed.double();
    vendor = await startVendor(double.contract);
    cutter = await startCutter(Number(new URL(vendor.url).port));
  });
  afterEach(async () => {
    await cutter.close();
    await vendor.close();
  });
  const call = async (key: string): Promise<Record<string, unknown>> => {
    const handle = await opened(bed.adapter, bed.config(cutter.url));
    try {
      return await send(handle, { key });
    } finally {
      await handle.close?.();
    }
  };

  it('that follow each other, and another one of another key', async () => {
    const first = await call('one');
    expect(await call('one')).to.deep.equal(first);
    expect((await call('two'))['message_id']).to.not.equal(first['message_id']);
    expect(double.messages).to.have.length(2);
  });

  for (const way of ways)
    it(`after a first one that ends at any byte of its ${way}`, async () => {
      await call('whole');
      const whole = cutter.passed[way];
      const counts: Record<string, number> = {};
      for (let after = 0; after < whole; after += Math.max(1, Math.floor(whole / places))) {
        const at: CutAt = { way, after };
        const label = JSON.stringify(at);
        const before = double.messages.length;
        cutter.at = at;
        const { outcome } = await failure(call(`cut${after}`));
        const made = double.messages.length - before;
        counts[`${outcome} ${made}`] = (counts[`${outcome} ${made}`] ?? 0) + 1;
        expect(made, label).to.be.at.most(outcome === 'unknown' && way === 'answer' ? 1 : 0);
        cutter.at = undefined;
        const again = await call(`cut${after}`);
        expect(double.messages.length - before, label).to.equal(1);
        expect(again['message_id'], label).to.be.a('string');
      }
      expect(counts[way === 'answer' ? 'unknown 1' : 'unknown 0'], JSON.stringify(counts)).to.be.greaterThan(20);
    }).timeout(120_000);
}
