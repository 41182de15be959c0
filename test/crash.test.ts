import { expect } from 'chai';
import { each } from './helpers/each.ts';
import { createServed, type Served } from './helpers/served.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 1);

interface Answered {
  readonly run_id: string;
  readonly receipt: { readonly receipt_id: string };
}

describe('kill -9 in the middle of load', () => {
  let served: Served;
  before(() => {
    served = createServed();
  });
  after(() => served.remove());

  it(`every answered run has its receipt after the restart, the chain has no gap, the store opens clean (killed ${rounds === 1 ? 'once' : `${rounds} times`})`, async function () {
    this.timeout(60_000 + rounds * 10_000);
    const answered: Answered[] = [];
    for (let round = 0; round < rounds; round++) {
      const { url, key } = await served.start();
      await loadUntilKilled(url, key, answered, 150 + (round % 10) * 60);
    }
    const { url, key } = await served.start();
    const get = async (path: string) => {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
      return (await response.json()) as Record<string, never>;
    };
    expect(answered.length).to.be.greaterThan(rounds * 100);
    await each(answered, async ({ run_id, receipt }) => {
      const found = await get(`/receipts/${receipt.receipt_id}`);
      expect([found['signature_valid'], predicateOf(found)['run_id']]).to.deep.equal([true, run_id]);
    });
    const sequences = await chainOf(get);
    expect(sequences).to.deep.equal(sequences.map((_, index) => index + 1));
    expect(sequences.length).to.be.at.least(answered.length);
    expect(await served.stop()).to.equal(0);
  });

  // 24 callers; the server is killed once the given number of answers of this round has arrived.
  async function loadUntilKilled(url: string, key: string, answered: Answered[], enough: number): Promise<void> {
    const from = answered.length;
    let killed: Promise<void> | undefined;
    const caller = async (): Promise<void> => {
      for (;;) {
        const body = JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } });
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const result = await fetch(`${url}/orbisets/default/execute`, { method: 'POST', headers, body })
          .then(async (response) => (response.ok ? ((await response.json()) as Answered) : undefined))
          .catch(() => undefined);
        if (result === undefined) return;
        answered.push(result);
        if (answered.length - from >= enough) killed ??= served.kill();
      }
    };
    await Promise.all(Array.from({ length: 24 }, caller));
    await killed;
  }

  // Walks all runs by cursor and reads the sequence and the link of each receipt.
  async function chainOf(get: (path: string) => Promise<Record<string, never>>): Promise<number[]> {
    const sequences: number[] = [];
    let next = '/runs?limit=100';
    for (;;) {
      const page = await get(next);
      const sequenceOf = async ({ receipt_id }: { readonly receipt_id: string }) =>
        Number(predicateOf(await get(`/receipts/${receipt_id}`))['sequence']);
      sequences.push(...(await each(page['runs'] as unknown as { receipt_id: string }[], sequenceOf)));
      if (page['next_cursor'] === undefined) return sequences.sort((a, b) => a - b);
      next = `/runs?limit=100&cursor=${String(page['next_cursor'])}`;
    }
  }

  function predicateOf(receipt: Record<string, unknown>): Record<string, unknown> {
    return (receipt['statement'] as { predicate: Record<string, unknown> }).predicate;
  }
});
