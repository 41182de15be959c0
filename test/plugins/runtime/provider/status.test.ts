import { expect } from 'chai';
import type { Binding, Slot } from '../../../../plugins/runtime/provider/binding.ts';
import { statusOf } from '../../../../plugins/runtime/provider/status.ts';
import { DispatchBed } from '../dispatch-bed.ts';

describe('the status of an Orb’s providers', () => {
  let bed: DispatchBed;
  let a: Slot;
  let b: Slot;
  let unopened: Slot;
  beforeEach(async () => {
    bed = new DispatchBed();
    [a, b] = [await bed.slot('a', []), await bed.slot('b', [])];
    unopened = await bed.slot('c', [], { unopened: true });
  });
  const shown = (more: Partial<Binding> = {}) => {
    const base = { orb: { orb_id: 'x@1.0.0' }, order: [a, b, unopened], configured: [], source: 'config' };
    const rest = { draining: new Set(), swap: undefined, last_swap: undefined };
    return statusOf({ ...base, ...rest, ...more } as unknown as Binding);
  };
  const rows = (status: object) => (status as { providers: { name: string }[] }).providers;

  it('names the active one, and those that stand by', () => {
    const status = shown();
    expect(status).to.include({ orb_id: 'x@1.0.0', active_provider: 'a', generation: 1, source: 'config' });
    expect(status).to.include({ swap_status: 'stable' }).and.not.to.have.property('last_swap');
    const known = { adapter: 'record/scripted', origin: 'file' };
    const plain = { ...known, health: 'unknown', breaker: 'closed', error_rate: 0, p95_ms: 0 };
    const idle = { ...plain, in_flight: 0, oldest_ms: 0 };
    expect(rows(status)).to.deep.equal([
      { ...idle, name: 'a', role: 'active', generation: 1 },
      { ...idle, name: 'b', role: 'standby', generation: 1 },
      { ...idle, name: 'c', role: 'standby', generation: 0 },
    ]);
  });

  it('counts the runs that use a generation, and how long the oldest has', () => {
    a.generation?.lease();
    bed.time.now = 40;
    a.generation?.lease();
    expect(rows(shown())[0]).to.include({ in_flight: 2, oldest_ms: 40 });
  });

  it('lists a generation that drains apart, though its provider stands by', () => {
    const leaving = b.generation?.again() ?? expect.fail('it is open');
    leaving.lease();
    const status = shown({ draining: new Set([leaving]) });
    expect(status).to.include({ swap_status: 'draining' });
    expect(rows(status).slice(1)).to.have.length(3);
    expect(rows(status).at(-1)).to.include({ name: 'b', role: 'draining', in_flight: 1 });
    expect(rows(status)[1]).to.include({ name: 'b', role: 'standby', in_flight: 0 });
  });

  it('says that a swap is under way, also while an older one drains', () => {
    const swap = { swap_id: 'swp_1' } as Binding['swap'];
    const draining = new Set([b.generation ?? expect.fail('it is open')]);
    expect(shown({ swap })).to.include({ swap_status: 'swapping' });
    expect(shown({ swap, draining })).to.include({ swap_status: 'swapping' });
  });

  it('of an Orb without a provider names none', () => {
    const status = shown({ order: [] });
    expect(status).to.include({ generation: 0 }).and.not.to.have.property('active_provider');
    expect(shown({ order: [unopened] })).to.include({ generation: 0, active_provider: 'c' });
  });
});
