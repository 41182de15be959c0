import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { PlatformError } from '../../../../../kernel/error.ts';
import type { Operation, Store } from '../../../../../kernel/store/contract.ts';
import { StoreRetry } from '../../../../../plugins/runtime/journal/store-retry.ts';
import { SharedPlaces } from '../../../../../plugins/runtime/run/limits/places.ts';
import { chunkOf, SharedRates } from '../../../../../plugins/runtime/run/limits/rates.ts';
import { RunLimits } from '../../../../../plugins/runtime/run/run-limits.ts';
import type { Run } from '../../../../../plugins/runtime/dispatch/run-record.ts';
import limitsStore, { sharedOut } from '../../../../../plugins/runtime/run/limits/store.ts';
import { silentLog } from '../../../../../kernel/tools/log.ts';
import { openInMemory } from '../../../../helpers/stores/memory.ts';
import { rejection } from '../../../../helpers/stores/open.ts';

/** Nodes that count in one store, whose clock a test sets. */
function nodesOf(count: number) {
  const time = { store: 1_000_000, node: 0 };
  const { operations } = openInMemory(limitsStore, () => time.store);
  const done: string[] = [];
  const state = { fails: false };
  const retry = new StoreRetry(silentLog);
  const write = async (asked: readonly Operation[]): Promise<unknown[]> => {
    await delay(1);
    if (state.fails) throw new PlatformError('storage_unavailable', 'the store is away');
    done.push(...asked.map(({ name }) => name));
    return Promise.all(asked.map(({ args, name }) => operations[name as 'draw'](args as never)));
  };
  const made = (index: number) => {
    const node = { name: `node-${index}`, incarnation: `start-${index}` };
    let ids = 0;
    const options = {
      store: { node, write: write as unknown as Store['write'] },
      ...{ clock: { monotonic: () => time.node }, log: silentLog, ids: () => `${node.name}-${++ids}` },
      nodes: () => Promise.resolve(count),
      retry,
    };
    return { rates: new SharedRates(options), places: new SharedPlaces(options), incarnation: node.incarnation };
  };
  const last = made(count - 1);
  const nodes = [...Array.from({ length: count - 1 }, (_, index) => made(index)), last];
  return { nodes, last, time, done, state, operations, retry };
}

describe('limits that several nodes share', () => {
  it('let in as many runs in a window as are allowed, in chunks, whichever node is asked', async () => {
    const { done, last, nodes } = nodesOf(3);
    const rate = { count: 100, window_s: 60 };
    const asked = Array.from({ length: 300 }, (_, n) => (nodes[n % 3] ?? last).rates.take('key k', rate));
    const allowed = (await Promise.all(asked)).filter((taken) => taken.allowed).length;
    expect(allowed).to.equal(100);
    // 25 chunks of four, and each node hears once that nothing is left.
    expect(done.length).to.be.at.most(28);
  });

  it('leave at most a chunk of each other node unused', async () => {
    const { nodes } = nodesOf(3);
    const rate = { count: 100, window_s: 60 };
    for (const { rates } of nodes.slice(1)) await rates.take('key k', rate);
    let served = 2;
    while ((await nodes[0]?.rates.take('key k', rate))?.allowed === true) served += 1;
    expect(served).to.be.within(85, 100);
    expect(served).to.equal(100 - 2 * (chunkOf(100, 3) - 1));
  });

  it('begin a window when the one before is over on the clock of the store, whatever a node’s clock says', async () => {
    const { nodes, time } = nodesOf(2);
    const rate = { count: 2, window_s: 60 };
    const [one, other] = nodes;
    const take = async () => (await one?.rates.take('key k', rate))?.allowed;
    expect([await take(), await take(), await take()]).to.deep.equal([true, true, false]);
    time.node += 59_000;
    expect(await take()).to.equal(false);
    // This node counts too fast: it asks, and the store's window goes on.
    time.node += 2000;
    expect(await take()).to.equal(false);
    const full = await other?.rates.take('key k', rate);
    expect([full?.allowed, full?.headers['RateLimit']]).to.deep.equal([false, '"key";r=0;t=60']);
    time.store += 60_000;
    time.node += 60_000;
    expect([await take(), await take(), await take()]).to.deep.equal([true, true, false]);
  });

  it('answer a question that is heard twice once', () => {
    const { operations } = nodesOf(1);
    const drawing = { name: 'key k 10/60', count: 10, window_ms: 60_000, chunk: 4 };
    const draw = (asked: string) => operations.draw({ ...drawing, asked });
    return (async () => {
      const told = [await draw('a'), await draw('a'), await draw('b'), await draw('c'), await draw('d')];
      expect(told.map(({ granted, used }) => [granted, used])).to.deep.equal([
        [4, 4],
        [4, 4],
        [4, 8],
        [2, 10],
        [0, 10],
      ]);
    })();
  });

  it('refuse a run while the store is away', async () => {
    const { nodes, state } = nodesOf(1);
    state.fails = true;
    const [one] = nodes;
    expect(
      String(await rejection(one?.rates.take('key k', { count: 9, window_s: 60 }) ?? Promise.resolve())),
    ).to.include('away');
    const entering = Promise.resolve(one?.places.enter({ name: 'key k', limit: 1 }));
    expect(String(await rejection(entering))).to.include('away');
    state.fails = false;
    expect(await one?.places.enter({ name: 'key k', limit: 1 })).to.equal(true);
  });

  it('let in as many runs at once as are allowed; a place that ends at one node is free at the other', async () => {
    const { nodes } = nodesOf(2);
    const bound = { name: 'key k', limit: 2 };
    const [one, other] = nodes;
    expect(await one?.places.enter(bound)).to.equal(true);
    expect(await other?.places.enter(bound)).to.equal(true);
    expect(await one?.places.enter(bound)).to.equal(false);
    expect(await other?.places.enter(bound)).to.equal(false);
    one?.places.leave(bound);
    expect(await other?.places.enter(bound)).to.equal(true);
    other?.places.leave(bound);
    // It waits for a place that is on its way back.
    const late = other?.places.enter(bound);
    expect(await late).to.equal(true);
  });

  it('take no place of the first name for a run that the second one refuses', async () => {
    const [one] = nodesOf(1).nodes;
    const key = { name: 'key k', limit: 1 };
    const limits = new RunLimits({ concurrency: 1 }, one);
    const run = { principal: { key_id: 'k' }, orbiset: { id: 'o', limits: { concurrency: 0 } } } as unknown as Run;
    expect(String(await rejection(limits.admit(run)))).to.include('this orbiset may have 0 runs');
    expect(await one?.places.enter(key)).to.equal(true);
  });

  it('never pass the limit with many runs at all nodes, and give all back in the end', async () => {
    const { nodes, operations } = nodesOf(3);
    const bound = { name: 'orbiset o', limit: 50 };
    let running = 0;
    let most = 0;
    let served = 0;
    const work = async (n: number): Promise<void> => {
      for (let round = 0; round < 4; round++) {
        const { places } = nodes[(n + round) % 3] ?? {};
        if ((await places?.enter(bound)) !== true) continue;
        most = Math.max(most, ++running);
        served += 1;
        await delay(2);
        running -= 1;
        places?.leave(bound);
      }
    };
    await Promise.all(Array.from({ length: 200 }, (_, n) => work(n)));
    expect(most).to.be.within(30, 50);
    expect(served).to.be.greaterThan(100);
    await delay(600);
    const wanting = { name: 'orbiset o', incarnation: 'x', limit: 50, wanted: 50, running: 0, shares: false };
    expect(await operations.wantPermits(wanting)).to.deep.equal({ held: 50, contended: false });
  });

  it('are given back once the store takes it, and not below what is in use again', async () => {
    const { nodes, operations, retry, state } = nodesOf(2);
    const [one, other] = nodes;
    const bound = { name: 'key k', limit: 1 };
    expect(await one?.places.enter(bound)).to.equal(true);
    state.fails = true;
    one?.places.leave(bound);
    await delay(10);
    state.fails = false;
    expect(await other?.places.enter(bound)).to.equal(false);
    expect(await one?.places.enter(bound)).to.equal(true);
    await retry.close();
    const wanting = { name: 'key k', incarnation: 'x', limit: 1, wanted: 1, running: 0, shares: false };
    expect(await operations.wantPermits(wanting), 'in use').to.deep.include({ held: 0 });
    one?.places.leave(bound);
    await delay(10);
    expect(await operations.wantPermits(wanting)).to.deep.include({ held: 1 });
  });

  it('are free again when the process that had them has ended', async () => {
    const { nodes, operations } = nodesOf(2);
    const [one, other] = nodes;
    const bound = { name: 'key k', limit: 1 };
    expect(await one?.places.enter(bound)).to.equal(true);
    expect(await other?.places.enter(bound)).to.equal(false);
    await operations.voidPermits({ incarnation: one?.incarnation ?? '' });
    expect(await other?.places.enter(bound)).to.equal(true);
  });

  const rows = [
    { name: 'all that is free', others: [[2, 2]], own: 0, wanted: 9, limit: 5, running: 0, held: 3 },
    { name: 'no more than it wants', others: [[2, 2]], own: 1, wanted: 2, limit: 5, running: 1, held: 2 },
    { name: 'its part of what others want too', others: [[0, 5]], own: 4, wanted: 4, limit: 4, running: 1, held: 2 },
    { name: 'what its runs use', others: [[0, 5]], own: 4, wanted: 4, limit: 4, running: 3, held: 3 },
    { name: 'nothing after its turn', others: [[0, 5]], own: 1, wanted: 3, limit: 1, running: 0, held: 0 },
    { name: 'the next turn', others: [[0, 5]], own: 0, wanted: 3, limit: 1, running: 0, held: 1 },
    { name: 'nothing while another has its turn', others: [[1, 5]], own: 0, wanted: 3, limit: 1, running: 0, held: 0 },
  ] as const;
  for (const { name, others, held, ...asked } of rows)
    it(`give a node of the permits of a line: ${name}`, () => {
      const found = others.map(([has, wants]) => ({ held: has, wanted: wants }));
      expect(sharedOut(found, { ...asked, shares: true }).held).to.equal(held);
    });
});
