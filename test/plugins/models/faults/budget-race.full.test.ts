import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../../helpers/cluster.ts';
import { until } from '../../../helpers/until.ts';
import { needPostgres } from '../../../helpers/use-postgres.ts';
import { compareBooks } from './books.ts';
import { askAt, type Heard } from './clients.ts';
import { gatewayEnv, gatewayPlatform, modelOf, mostNanos, writeGateway } from './gateway.ts';
import { budgetOf, reading } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const count = Number(process.env['BUDGET_CALLS'] ?? 200);
const room = Math.ceil(count / 10);
const limit = room * mostNanos;

describe(`a budget of ${room} calls, asked by ${count} on two nodes`, function () {
  this.timeout(120_000 + count * 100);
  let vendor: BillingVendor;
  let cluster: Cluster;
  before(async function () {
    needPostgres(this);
    vendor = await startBillingVendor('vendor');
    const prepare = (home: string): void => writeGateway(home, count);
    const platform = gatewayPlatform(vendor.url, limit);
    cluster = await startCluster(['a', 'b'], platform, () => ({ prepare, env: gatewayEnv }));
  });
  after(async () => {
    await cluster?.remove();
    await vendor?.close();
  });

  it('is never exceeded, though a third of the callers leave, and the vendor hears of no call that it refused', async () => {
    const leaving = new Map<string, AbortController>();
    vendor.plan = ({ model }) => {
      // Within the answer, which takes a while.
      setTimeout(() => leaving.get(model)?.abort(), Math.random() * 200);
      return { pause_ms: 10 + Math.random() * 20 };
    };
    const urls = cluster.nodes.map(({ url }) => url);
    const gets = urls.map((url) => reading(url, cluster.key));
    const heard = new Map<number, Heard>();
    const ask = async (number: number): Promise<void> => {
      // At once, and while the first calls end: then there is room for a few again.
      await pause(number < count / 2 ? 0 : Math.random() * 1500);
      const adapter = number % 4 < 2 ? 'openai' : 'anthropic';
      const leaver = new AbortController();
      if (number % 3 === 2) leaving.set(modelOf(number), leaver);
      const base = `${urls[number % 2] ?? ''}/orbisets/${adapter}`;
      const asking = { base, key: cluster.key, stream: number % 5 !== 0, signal: leaver.signal };
      heard.set(number, await askAt(number % 2 === 0 ? 'openai' : 'anthropic', number, asking));
    };
    let [asking, most] = [true, 0];
    const watching = async (): Promise<void> => {
      for (let at = 0; asking; at++, await pause(10)) {
        const { assumed, reserved, spent } = await budgetOf(gets[at % 2] as (typeof gets)[number]).catch(() => none);
        most = Math.max(most, assumed + reserved + spent);
      }
    };
    const watched = watching();
    await Promise.all(Array.from({ length: count }, (_, number) => ask(number)));
    asking = false;
    await watched;
    const [get] = gets as [ReturnType<typeof reading>];
    await until(
      () => budgetOf(get),
      ({ reserved }) => reserved === 0,
      'the end of all reservations',
    );
    const counts = await compareBooks(get, vendor, heard);
    const { assumed, spent } = await budgetOf(get);
    const refused = [...heard].filter(([, { raised }]) => (raised as { status?: number } | undefined)?.status === 429);
    const share = (nanos: number): string => (nanos / mostNanos).toFixed(1);
    console.log(
      `      ${refused.length} refused; of ${room}: ${share(spent)} spent, ${share(assumed)} assumed, at most ${share(most)} in use: ${JSON.stringify(counts)}`,
    );
    expect(spent + assumed).to.be.at.most(limit);
    expect(most).to.be.within(0.5 * limit, limit);
    const taken = new Set(vendor.calls.map(({ model }) => model));
    expect(refused.filter(([number]) => taken.has(modelOf(number)))).to.deep.equal([]);
    expect(refused.length).to.be.greaterThan(count / 4);
    expect(counts['completed paid'] ?? 0).to.be.greaterThan(room / 4);
    expect(counts['cancelled caller_gone'] ?? 0).to.be.greaterThan(0);
  });
});

// Before the first call there is no budget yet.
const none = { assumed: 0, reserved: 0, spent: 0 };
