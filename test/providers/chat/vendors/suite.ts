import { expect } from 'chai';
import type { ProviderHandle } from '../../../../kernel/adapter.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { conformance, testKey, type Fault } from '../../../helpers/conformance.ts';
import { startCutter, type Cutter } from '../../../helpers/cutter.ts';
import { closedPort, startVendor, type VendorFault, type VendorServer } from '../../../helpers/vendor.ts';
import { failure, noSignal } from '../../email/smtp-bed.ts';
import { createStage } from '../../email/vendors/stage.ts';
import type { ChatBed } from './bed.ts';

/** Inputs of a good message. */
export const inputs = { channel: 'ops', text: 'Disk full' };

/** Inputs that use every field that all vendors have. */
export const full = {
  channel: 'ops',
  title: 'Alert <db-1> & "co"',
  text: '**Disk** full: 5 > 3, @everyone [look](https://example.com/a?b=1&c=2)\n\n- `a`\n- b 👩‍👩‍👧‍👦',
  format: 'markdown',
  mentions: ['ada'],
  link_preview: true,
  overflow: 'truncate',
};

/** Posts the good message, or another one, under a key of its own name. */
export async function send(
  handle: ProviderHandle,
  { given = inputs, signal = noSignal(), key = 'c' }: { given?: object; signal?: AbortSignal; key?: string } = {},
): Promise<Record<string, unknown>> {
  return handle.execute(given as typeof inputs, { signal, idempotency_key: testKey(key), log: silentLog });
}

/** Declares everything that holds for each vendor of chat messages. */
export function chatSuite(bed: ChatBed): void {
  describe('as any adapter', () => conforms(bed));
  describe('reads answers', () => readsAnswers(bed));
  describe('when the connection is cut', () => cuts(bed));
}

function conforms(bed: ChatBed): void {
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
  const unproven =
    bed.withoutProof === undefined
      ? []
      : [bed.withoutProof, { status: 200, body: [] }, { status: 200, body: '{"id": "x' }];
  conformance({
    adapter: bed.adapter,
    orbId: 'notify.chat@1.0.0',
    config: () => bed.config(vendor.url),
    inputs: full,
    secrets: bed.secrets,
    receiver: () => ({
      effects: () => vendor.taken - taken,
      calls: () => vendor.posts.length,
      quiet: () => vendor.quiet(),
    }),
    faults: [
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
      ...unproven.map((reply, index) => ({
        name: `a success without its proof (${index})`,
        outcome: 'unknown' as const,
        phase: 'response',
        calls: 1,
        ...failing(reply),
      })),
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
        name: 'no TLS',
        outcome: 'not_sent',
        phase: 'tls',
        calls: 0,
        arrange: () => bed.config(vendor.url.replace('http:', 'https:')),
      },
      ...Object.entries(refusedInputs).map(([name, given]) => ({
        name,
        outcome: 'rejected' as const,
        calls: 0,
        inputs: { ...inputs, ...given },
        arrange: () => undefined,
      })),
    ],
    hang: () => {
      vendor.fault = 'hang';
      return { stuck: vendor.reached(), outcome: 'unknown', restore: () => void (vendor.fault = undefined) };
    },
  });
}

const refusedInputs: Readonly<Record<string, object>> = {
  'a carriage return': { text: 'a\r\nb' },
  'a NUL': { text: 'a\u0000b' },
  'half a character': { text: 'a\ud83d' },
  'a title of two lines': { title: 'a\nb' },
  'an unknown member': { colour: 'red' },
  'an unknown channel': { channel: 'nowhere' },
  'a name of an object': { channel: 'constructor' },
  'an unknown person': { mentions: ['bob'] },
};

function readsAnswers(bed: ChatBed): void {
  const { vendor: start, open } = createStage(bed);

  it('of the good message', async () => {
    const vendor = await start();
    expect(await send(await open(bed.config(vendor.url)))).to.deep.equal(bed.outputs);
    const [request, ...others] = vendor.posts;
    expect(others).to.deep.equal([]);
    expect(request && bed.posted(request).text).to.equal('Disk full');
  });

  it('from a source with a date', () => expect(bed.source).to.match(/\S, 20\d\d-\d\d-\d\d$/));

  for (const { name, outcome, reason, reply, shows } of bed.answers)
    it(`and says in one line what ${name} means: ${outcome}${reason === undefined ? '' : `, ${reason}`}`, async () => {
      const vendor = await start();
      vendor.fault = reply;
      const error = await failure(send(await open(bed.config(vendor.url))));
      expect([error.outcome, error.reason]).to.deep.equal([outcome, reason]);
      expect(error.message)
        .to.match(/^[ -~]{1,160}$/)
        .and.include(shows ?? '')
        .and.not.match(/\bada\b|full/);
      expect(error.cause).to.equal(undefined);
      expect(vendor.posts, 'one request, no retry').to.have.length(1);
    });

  it('and passes on how long it is to wait', async () => {
    const vendor = await start();
    vendor.fault = { status: 429, headers: { 'retry-after': '7' }, body: {} };
    const error = await failure(send(await open(bed.config(vendor.url))));
    expect([error.outcome, error.retry_after]).to.deep.equal(['throttled', 7]);
  });
}

// All places with CHAT_CUTS=all; else some 40 of each way.
const places = process.env['CHAT_CUTS'] === 'all' ? Infinity : 40;

function cuts(bed: ChatBed): void {
  const { vendor: start, open } = createStage(bed);
  let cutter: Cutter;
  afterEach(() => cutter.close());

  for (const way of ['request', 'answer'] as const)
    it(`posts at most once, whatever byte of the ${way} is the last one`, async function () {
      if (places === Infinity) this.timeout(120_000);
      const vendor = await start();
      cutter = await startCutter(Number(new URL(vendor.url).port));
      const post = async (): Promise<unknown> => {
        const handle = await open(bed.config(cutter.url));
        try {
          return await send(handle);
        } finally {
          await handle.close?.();
        }
      };
      expect(await post()).to.deep.equal(bed.outputs);
      const whole = cutter.passed[way];
      for (let after = 0; after < whole; after += Math.max(1, Math.floor(whole / places))) {
        cutter.at = { way, after };
        const before = vendor.taken;
        const result = await post().catch((error: unknown) => error);
        const taken = vendor.taken - before;
        expect(taken, `messages after ${after} of ${whole} bytes`).to.be.at.most(1);
        // The status alone is the proof of some vendors.
        if (bed.withoutProof !== undefined || result instanceof Error)
          expect((result as { outcome?: unknown }).outcome, `after ${after} of ${whole} bytes`).to.equal('unknown');
        else expect([result, taken]).to.deep.equal([bed.outputs, 1]);
        cutter.at = undefined;
      }
    });
}
