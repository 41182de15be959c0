import { expect } from 'chai';
import { createServed, type Served } from '../../../helpers/served.ts';
import { listen, type Client } from './client.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2);
const perRound = 100;

interface Answered {
  readonly receipt: { readonly receipt_id: string };
}

describe('a client of GET /events over kill -9', function () {
  this.timeout(60_000 + rounds * 20_000);
  let served: Served;
  let client: Client | undefined;
  before(() => void (served = createServed()));
  after(() => {
    client?.close();
    return served.remove();
  });

  it(`hears each run exactly once, in the order of the log (${rounds} times)`, async () => {
    const answered: string[] = [];
    let at = await served.start();
    client = listen(() => `${at.url}/events?types=run.*`, at.key);
    await client.opened();
    // The package keeps ids of events only: a client that has heard none would begin again after the kill.
    const first = await execute(at);
    await untilHeard(client, first?.receipt.receipt_id ?? '');
    for (let round = 0; round < rounds; round++) {
      await loadUntilKilled(at, answered);
      at = await served.start();
    }
    const last = await execute(at);
    const { heard } = await untilHeard(client, last?.receipt.receipt_id ?? '');
    const ids = heard.map(({ data }) => String(data.id));
    expect(new Set(ids).size, 'nothing twice').to.equal(ids.length);
    expect(ids).to.include.members(answered);
    const stored: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const response = await fetch(`${at.url}/receipts?limit=100${cursor}`, { headers: bearer(at) });
      const page = (await response.json()) as {
        receipts: { receipt_id: string; kind?: string }[];
        next_cursor?: string;
      };
      stored.push(...page.receipts.filter(({ kind = 'run' }) => kind === 'run').map(({ receipt_id }) => receipt_id));
      cursor = page.next_cursor === undefined ? undefined : `&cursor=${page.next_cursor}`;
    }
    expect(new Set(ids), 'no gap: also runs whose answer was lost').to.deep.equal(new Set(stored));
    expect(heard.some(({ type }) => type === 'gap')).to.equal(false);
  });

  type Address = Readonly<Record<'url' | 'key', string>>;
  const bearer = ({ key }: Address) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

  async function execute(at: Address): Promise<Answered | undefined> {
    const body = JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } });
    return fetch(`${at.url}/orbisets/default/execute`, { method: 'POST', headers: bearer(at), body })
      .then(async (response) => (response.ok ? ((await response.json()) as Answered) : undefined))
      .catch(() => undefined);
  }

  async function loadUntilKilled(at: Address, answered: string[]): Promise<void> {
    const enough = answered.length + perRound;
    let killed: Promise<void> | undefined;
    const caller = async (): Promise<void> => {
      for (let answer = await execute(at); answer !== undefined; answer = await execute(at)) {
        answered.push(answer.receipt.receipt_id);
        if (answered.length >= enough) killed ??= served.kill();
      }
    };
    await Promise.all(Array.from({ length: 12 }, caller));
    await killed;
  }

  async function untilHeard(client: Client, receiptId: string): Promise<Client> {
    while (!client.heard.some(({ data }) => data.id === receiptId)) await client.count(client.heard.length + 1);
    return client;
  }
});
