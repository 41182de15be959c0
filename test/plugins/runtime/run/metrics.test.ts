import { expect } from 'chai';
import { createSwapMetrics, runMetrics } from '../../../../plugins/runtime/run/metrics.ts';
import type { Binding, Slot } from '../../../../plugins/runtime/provider/binding.ts';
import type { Bindings } from '../../../../plugins/runtime/provider/bindings.ts';
import type { Attempt } from '../../../../plugins/runtime/facts/facts.ts';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';
import { DispatchBed } from '../dispatch-bed.ts';
import type { RunSettled } from '../../../../plugins/runtime/facts/hooks.ts';

describe('the metrics of runs', () => {
  let bed: DispatchBed;
  let slots: Slot[];
  let told: unknown[];
  let metrics: ReturnType<typeof createMetrics>;
  let settled: ReturnType<typeof runMetrics>;
  const draining = new Set<unknown>();

  beforeEach(async () => {
    bed = new DispatchBed();
    slots = [];
    for (const name of ['a', 'b', 'c']) slots.push(await bed.slot(name, [], name === 'c' ? { unopened: true } : {}));
    draining.clear();
    told = [];
    metrics = createMetrics();
    const hooks = { tell: (_: unknown, event: unknown) => void told.push(event) };
    const bindings = { all: () => [{ order: slots, draining } as unknown as Binding] } as unknown as Bindings;
    settled = runMetrics(metrics, hooks, bindings);
  });
  const shown = async (name: string): Promise<string[]> => {
    const { text } = await metrics.show();
    return text.split('\n').filter((line) => line.startsWith(name));
  };
  const event = { orb_id: 'x@1', status: 'completed', mode: 'live' } as RunSettled;
  const attempt = (provider: string, outcome: Attempt['outcome']) => ({ provider, generation: 1, outcome }) as Attempt;

  it('count each run and each of its calls, and tell whoever listens', async () => {
    settled(event, [attempt('a', 'not_sent'), attempt('a', 'accepted')]);
    settled(event, []);
    expect(told).to.deep.equal([event, event]);
    expect(await shown('orb_runs_total')).to.deep.equal([
      'orb_runs_total{orb_id="x@1",status="completed",mode="live"} 2',
    ]);
    const calls = 'orb_attempts_total{orb_id="x@1",provider="a",generation="1",outcome=';
    expect(await shown('orb_attempts_total')).to.deep.equal([`${calls}"not_sent"} 1`, `${calls}"accepted"} 1`]);
    expect(await shown('orb_failovers_total{')).to.deep.equal([]);
  });

  it('count each change from one provider to another', async () => {
    settled(event, [
      attempt('a', 'not_sent'),
      attempt('a', 'not_sent'),
      attempt('b', 'not_sent'),
      attempt('c', 'accepted'),
    ]);
    const line = 'orb_failovers_total{orb_id="x@1",from=';
    expect(await shown('orb_failovers_total')).to.deep.equal([`${line}"a",to="b"} 1`, `${line}"b",to="c"} 1`]);
  });

  it('show how many runs hold a generation, also one that drains', async () => {
    expect(await shown('orb_leases')).to.deep.equal(['orb_leases 0']);
    const old = slots[0]?.generation?.again() ?? expect.fail('it is open');
    draining.add(old);
    old.lease();
    slots[1]?.generation?.lease();
    expect(await shown('orb_leases')).to.deep.equal(['orb_leases 2']);
  });

  it('show the health and the breaker of each provider', async () => {
    const [a, b] = slots as [Slot, Slot];
    a.health.probed(true, 'probe');
    bed.trip(b);
    expect(await shown('orb_provider_up')).to.deep.equal([
      ...['orb_provider_up{provider="a"} 1', 'orb_provider_up{provider="b"} 0', 'orb_provider_up{provider="c"} 0.5'],
    ]);
    expect(await shown('orb_breaker_open')).to.deep.equal([
      ...['orb_breaker_open{provider="a"} 0', 'orb_breaker_open{provider="b"} 1', 'orb_breaker_open{provider="c"} 0'],
    ]);
    bed.time.now = 2000;
    expect((await shown('orb_breaker_open'))[1]).to.equal('orb_breaker_open{provider="b"} 0.5');
    a.health.reported('degraded', 'incident');
    expect((await shown('orb_provider_up'))[0]).to.equal('orb_provider_up{provider="a"} 0.5');
  });

  it('count swaps by their result, and measure the drains of those that completed', async () => {
    const swaps = createSwapMetrics(metrics);
    swaps.finished('completed', 1500);
    swaps.finished('failed', 0);
    expect(await shown('orb_swaps_total')).to.have.members([
      ...['orb_swaps_total{result="completed"} 1', 'orb_swaps_total{result="failed"} 1'],
    ]);
    expect(await shown('orb_drain_seconds_sum')).to.deep.equal(['orb_drain_seconds_sum 1.5']);
    expect(await shown('orb_drain_seconds_count')).to.deep.equal(['orb_drain_seconds_count 1']);
  });
});
