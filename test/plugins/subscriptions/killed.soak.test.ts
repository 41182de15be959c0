import { expect } from 'chai';
import { send } from '../../helpers/http.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';

// 20 in `npm run soak`.
const rounds = process.env['CALLBACK_SOAK'] === '1' ? 20 : 3;
const atOnce = 40;

describe('callbacks of a server that is killed', function () {
  this.timeout(600_000);
  let served: Served;
  let receiver: VendorServer;
  before(async () => {
    receiver = await startVendor(() => ({ status: 204 }));
    const private_hosts = [{ host: '127.0.0.1', port: Number(new URL(receiver.url).port) }];
    served = createServed({ plugins: { subscriptions: { config: { private_hosts } } } });
  });
  after(async () => {
    await served.remove();
    await receiver.close();
  });

  it(`tell of each run that has a receipt, and of no other (${rounds} times killed)`, async () => {
    let { url, key } = await served.start();
    const ask = async (method: string, path: string, body?: object) =>
      (await send(url, path, { method, key, json: body })).json;
    await ask('POST', '/orbisets/default/subscriptions', { url: receiver.url, types: ['run.*'] });
    const run = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hi' } };
    for (let round = 0; round < rounds; round += 1) {
      const calls = Array.from({ length: atOnce }, () =>
        ask('POST', '/orbisets/default/execute', run).catch(() => undefined),
      );
      await Promise.race(calls);
      await served.kill();
      await Promise.all(calls);
      ({ url, key } = await served.start());
    }
    const ended = async (): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let cursor = ''; ;) {
        const page = (await ask('GET', `/runs?limit=100${cursor}`)) as {
          runs: { run_id: string }[];
          next_cursor?: string;
        };
        ids.push(...page.runs.map(({ run_id }) => run_id));
        if (page.next_cursor === undefined) return ids.sort();
        cursor = `&cursor=${page.next_cursor}`;
      }
    };
    const runs = await ended();
    expect(runs.length).to.be.greaterThan(0);
    const told = (): readonly string[] => [
      ...new Set(
        receiver.posts.map(({ body }) => (JSON.parse(body.toString()) as { data: { run_id: string } }).data.run_id),
      ),
    ];
    await until(told, (ids) => ids.length >= runs.length, 'the callbacks of all runs');
    expect([...told()].sort()).to.deep.equal(runs);
  });
});
