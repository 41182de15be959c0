import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Generation, Lease } from '../../../../plugins/runtime/provider/generation.ts';
import { DispatchBed } from '../dispatch-bed.ts';

describe('a generation', () => {
  let bed: DispatchBed;
  let generation: Generation;
  const closed: string[] = [];
  beforeEach(async () => {
    bed = new DispatchBed();
    closed.length = 0;
    generation = await opened();
  });
  const dispatch = { inputs: {}, signal: new AbortController().signal, idempotency_key: 'k' };

  async function opened(): Promise<Generation> {
    const slot = await bed.slot('a', [() => ({ ok: true })], { close: () => closed.push('a') });
    return slot.generation ?? expect.fail('the bed opens it');
  }
  const lease = (): Lease => generation.lease() ?? expect.fail('it is closed');

  it('has drained when its last lease is released, not before', async () => {
    const [first, second] = [lease(), lease()];
    let drained = false;
    const draining = generation.drain(60_000).then(() => (drained = true));
    generation.release(first);
    await nextTurn();
    expect([drained, generation.in_flight]).to.deep.equal([false, 1]);
    generation.release(second);
    await draining;
    expect(generation.in_flight).to.equal(0);
  });

  it('can be leased while it drains, and never after its last release', async () => {
    const first = lease();
    const draining = generation.drain(60_000);
    const second = lease();
    generation.release(first);
    generation.release(second);
    expect(generation.lease()).to.equal(undefined);
    await draining;
  });

  it('that nobody holds has drained at once, and cannot be leased', async () => {
    void generation.drain(60_000);
    expect(generation.lease()).to.equal(undefined);
  });

  it('tells all its holders to settle when the patience is over, and says so to those who have yet to begin', async () => {
    const leases = [lease(), lease(), lease()];
    const told: number[] = [];
    for (const [index, held] of leases.entries()) held.onRevoke = () => void told.push(index);
    const draining = generation.drain(0);
    expect(generation.overdue).to.equal(false);
    while (!generation.overdue) await nextTurn();
    expect(told).to.deep.equal([0, 1, 2]);
    for (const held of leases) generation.release(held);
    await draining;
  });

  it('shows how long its oldest lease has been held', () => {
    const first = lease();
    bed.time.now = 40;
    lease();
    bed.time.now = 100;
    expect(generation.oldest_ms).to.equal(100);
    generation.release(first);
    expect(generation.oldest_ms).to.equal(60);
  });

  it('gives its transport up once, however often it is closed: another one may use it', async () => {
    const other = generation.again();
    await Promise.all([generation.close(), generation.close()]);
    expect([closed, other.transport.isOpen()]).to.deep.equal([[], true]);
    await other.close();
    expect([closed, other.transport.isOpen()]).to.deep.equal([['a'], false]);
  });

  it('makes no call once it is closed, although another one keeps the transport open', async () => {
    const other = generation.again();
    await generation.close();
    const refused = await generation.call(dispatch).then(
      () => 'called',
      (error: Error) => error.message,
    );
    expect(refused).to.include('after its close');
    expect([(await other.call(dispatch))?.outcome, bed.calls]).to.deep.equal(['accepted', ['a']]);
  });
});
