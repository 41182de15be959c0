import { expect } from 'chai';
import { createServed, type Served } from '../../helpers/served.ts';
import { inStore } from '../../helpers/stored.ts';

const minute = 60_000;

interface Formula {
  readonly platform: Counted;
  readonly services: Readonly<Record<string, Counted>>;
}
interface Counted {
  readonly observed_seconds: number;
  readonly downtime_seconds: number;
  readonly uptime_pct: number;
}

describe('the time in which the server is not there', function () {
  this.timeout(240_000);
  let served: Served;
  beforeEach(() => {
    served = createServed();
  });
  afterEach(() => served.remove());

  /** Moves the last sign of life back, as if so much time had gone by since; answers whether it was a clean end. */
  const pass = async (ms: number): Promise<boolean> => {
    const [found] = await inStore(served.home, 'SELECT clean FROM observability_heartbeat');
    const sql = 'UPDATE observability_heartbeat SET first_at = first_at - ?, last_at = last_at - ?';
    await inStore(served.home, sql, 2 * ms, ms);
    return found?.['clean'] === 1;
  };
  const formula = async (): Promise<Formula> => {
    const { url } = await served.start();
    return (await (await fetch(`${url}/status/formula`)).json()) as Formula;
  };

  it('is an outage of all services after kill -9', async () => {
    await served.start();
    await served.kill();
    await served.exited();
    expect(await pass(60 * minute)).to.equal(false);
    const { platform, services } = await formula();
    expect(platform.downtime_seconds).to.be.within(3600, 3900);
    expect(platform.observed_seconds).to.be.within(7200, 7800);
    expect(platform.uptime_pct).to.be.within(45, 55);
    for (const { downtime_seconds: down } of Object.values(services)) expect(down).to.be.within(3600, 3900);
  });

  it('is maintenance when it ended on purpose and is back in time', async () => {
    await served.start();
    expect(await served.stop()).to.equal(0);
    expect(await pass(5 * minute)).to.equal(true);
    const { platform } = await formula();
    expect(platform).to.include({ downtime_seconds: 0, uptime_pct: 100 });
    expect(platform.observed_seconds).to.be.within(300, 420);
  });

  it('is an outage when it ended on purpose and stayed away', async () => {
    await served.start();
    await served.stop();
    await pass(30 * minute);
    const { platform } = await formula();
    expect(platform.downtime_seconds).to.be.within(1800, 2100);
  });

  it('is not told when it is as short as a restart', async () => {
    await served.start();
    await served.kill();
    await served.exited();
    await pass(0);
    const { platform } = await formula();
    expect(platform).to.include({ downtime_seconds: 0, uptime_pct: 100 });
  });
});
