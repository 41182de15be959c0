import { expect } from 'chai';
import { send } from '../../helpers/http.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { writeOrb } from './orbs.ts';

const rounds = Number(process.env['MARKET_ROUNDS'] ?? 1);
const ids = Array.from({ length: 40 }, (_, index) => `demo.orb-${index}@1.0.0`);

describe('a server killed while Orbs are published', function () {
  this.timeout(120_000 * rounds);
  let served: Served;
  before(() => {
    served = createServed();
    for (const orbId of ids) writeOrb(served.home, orbId);
  });
  after(() => served.remove());

  it('has a listing for every publication in its log, and a publication for every listing', async () => {
    for (let round = 0; round < rounds; round++) {
      const { url, key } = await served.start();
      const answered = new Set<string>();
      const storm = ids.map(async (orb_id, index) => {
        const json = { orb_id, listing: { title: `Round ${round}` } };
        const { status } = await send(url, '/marketplace/orbs/publish', { key, json });
        if (status === 200 || status === 201) answered.add(orb_id);
        if (index === 12) await served.kill();
      });
      await Promise.allSettled(storm);
      const again = await served.start();
      const listed = await listings(again.url, again.key);
      for (const orbId of answered) expect(listed.has(orbId), orbId).to.equal(true);
      for (const orbId of ids) {
        const { json } = await send(again.url, `/receipts?orb=${encodeURIComponent(orbId)}`, { key: again.key });
        const [newest] = json['receipts'] as readonly { readonly receipt_id: string }[];
        expect(listed.get(orbId), orbId).to.equal(newest?.receipt_id);
      }
      await served.stop();
    }
  });
});

/** Receipts of the last change of all listings, by Orb. */
async function listings(url: string, key: string): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const orbId of ids) {
    const { status, json } = await send(url, `/marketplace/orbs/${encodeURIComponent(orbId)}`, { key });
    if (status === 200) found.set(orbId, json['receipt_id']);
  }
  return found;
}
