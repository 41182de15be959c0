import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { providerKey } from '../../helpers/provider-key.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { text } from './vendors/bed.ts';
import { messageIn, serviceBed, vapid } from './vendors/service.ts';

const rounds = Number(process.env['PUSH_KILLS'] ?? 2);
const orb_id = 'notify.push@1.0.0';

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly reason?: string;
}

describe('push messages of a server that is killed', function () {
  this.timeout(30_000 + rounds * 10_000);
  let service: VendorServer;
  let served: Served;
  before(async () => {
    service = await startVendor(async (request) => {
      await pause(Math.random() * 4);
      const answer = await serviceBed.contract(request);
      await pause(Math.random() * 4);
      return answer;
    });
    const config = { ...serviceBed.config(service.url), private_key: { $env: 'VAPID_PRIVATE_KEY' } };
    const providers = { browsers: { adapter: 'push/webpush', config } };
    served = createServed({ providers }, { env: { VAPID_PRIVATE_KEY: vapid.private_key } });
  });
  after(async () => {
    await served?.remove();
    await service?.close();
  });

  it(`are sent at most once, and their runs say no more than is known (${rounds} times)`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { url, key } = await served.start();
      await sendUntilKilled(url, key, 10 + 5 * (round % 7));
    }
    const sent = service.posts.length;
    const { url, key } = await served.start();
    const runs = await listRuns(url, key);
    expect(service.posts, 'nothing is sent again after a start').to.have.length(sent);
    // The tag of a message is the start of the key of its run.
    const tags = service.posts.map((request) => (messageIn(request) as { tag: string }).tag);
    expect(new Set(tags).size, 'sent twice').to.equal(tags.length);
    const tagsOf = (...statuses: string[]): Set<string> =>
      new Set(
        runs
          .filter(({ status }) => statuses.includes(status))
          .map(({ run_id }) => providerKey(run_id, 'browsers').slice(0, 32)),
      );
    const known = tagsOf('completed', 'indeterminate');
    expect(tags.filter((tag) => !known.has(tag))).to.deep.equal([]);
    expect([...tagsOf('completed')].filter((tag) => !tags.includes(tag))).to.deep.equal([]);
    const unsettled = runs.filter(({ status }) => status === 'indeterminate');
    expect(unsettled.every(({ reason }) => reason === 'interrupted')).to.equal(true);
    console.log(`      ${runs.length} runs, ${tags.length} sent, ${unsettled.length} indeterminate`);
    expect(await served.stop()).to.equal(0);
  });

  async function sendUntilKilled(url: string, key: string, enough: number): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ orb_id, inputs: { ...text, to: serviceBed.to(service.url) } });
    let answered = 0;
    let killed: Promise<void> | undefined;
    const caller = async (): Promise<void> => {
      for (;;) {
        const sending = fetch(`${url}/orbisets/default/execute`, { method: 'POST', headers, body });
        const response = await sending.catch(() => undefined);
        if (response === undefined) return;
        answered += 1;
        if (answered >= enough) killed ??= served.kill();
        await response.body?.cancel().catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 8 }, caller));
    await killed;
  }
});

async function listRuns(url: string, key: string): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let cursor = ''; ;) {
    const response = await fetch(`${url}/runs?limit=100${cursor}`, { headers: { authorization: `Bearer ${key}` } });
    const page = (await response.json()) as { runs: Run[]; next_cursor?: string };
    runs.push(...page.runs);
    if (page.next_cursor === undefined) return runs;
    cursor = `&cursor=${page.next_cursor}`;
  }
}
