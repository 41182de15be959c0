import { expect } from 'chai';
import { startCutter } from '../../helpers/cutter.ts';
import { startVendor } from '../../helpers/vendor.ts';
import { failure, opened, send, text, type PushBed } from './vendors/bed.ts';
import { ntfyBed } from './vendors/ntfy.ts';
import { serviceBed } from './vendors/service.ts';

// PUSH_CUTS=1 cuts at every byte, otherwise at every seventh, the first and the last ones.
const step = process.env['PUSH_CUTS'] === '1' ? 1 : 7;
const places = (length: number): readonly number[] =>
  Array.from({ length }, (_, at) => at).filter((at) => at % step === 0 || at < 3 || at > length - 4);

describe('push messages whose connection is cut', function () {
  this.timeout(60_000);
  for (const bed of [serviceBed, ntfyBed])
    it(`${bed.adapter.name} sends at most one, and never says more than it knows`, async () => cutsAnywhere(bed));
});

async function cutsAnywhere(bed: PushBed): Promise<void> {
  const vendor = await startVendor(bed.contract);
  const cutter = await startCutter(Number(new URL(vendor.url).port));
  const inputs = { ...text, to: bed.to(cutter.url) };
  // A new connection for each call, so that the cut counts its bytes.
  const once = async (): Promise<{ outputs?: object; outcome?: string; taken: number; posts: number }> => {
    const before = { taken: vendor.taken, posts: vendor.posts.length };
    const handle = await opened(bed.adapter, bed.config(cutter.url));
    const ended = await send(handle, inputs).then(
      (outputs) => ({ outputs }),
      async (error: unknown) => ({ outcome: (await failure(Promise.reject(error as Error))).outcome }),
    );
    await handle.close?.();
    await cutter.quiet();
    return { ...ended, taken: vendor.taken - before.taken, posts: vendor.posts.length - before.posts };
  };
  try {
    expect(await once()).to.deep.include({ taken: 1, posts: 1 });
    const lengths = { ...cutter.passed };
    for (const way of ['request', 'answer'] as const)
      for (const after of places(lengths[way])) {
        cutter.at = { way, after };
        const { outcome, outputs, posts, taken } = await once();
        expect(posts, `${way} cut after ${after}`).to.be.at.most(1);
        if (outputs === undefined) expect(outcome, `${way} cut after ${after}`).to.equal('unknown');
        else expect([way, taken], `cut after ${after}`).to.deep.equal(['answer', 1]);
      }
  } finally {
    await cutter.close();
    await vendor.close();
  }
}
