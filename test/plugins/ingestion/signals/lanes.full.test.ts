import { expect } from 'chai';
import { createIds } from '../../../../kernel/tools/id.ts';
import { operation, PlatformError } from '../../../../kernel/index.ts';
import { nextStep, planWork } from '../../../../plugins/ingestion/deliveries/queue/work-plan.ts';
import type { SignalBatch } from '../../../../plugins/ingestion/deliveries/queue/sink.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { until } from '../../../helpers/until.ts';
import { openYard, type Yard } from './yard.ts';

describe('the lanes of the pipeline', function () {
  this.timeout(60_000);
  let yard: Yard;
  beforeEach(async () => {
    yard = await openYard();
  });
  afterEach(() => yard.close());

  const titles = (batches: readonly SignalBatch[]) =>
    batches.flatMap(({ signals }) => signals.map(({ title }) => title));
  const state = (id: string) => {
    const { state, reason, attempts } = yard.reads.delivery(id) ?? {};
    return { state, reason, attempts };
  };

  it('keep the order of acceptance within a source', async () => {
    const source = await yard.source();
    const names = Array.from({ length: 150 }, (_, index) => `alert ${index}`);
    for (const name of names) await yard.deliver(source, name);
    await (await yard.start()).idle();
    expect(titles(yard.batches)).to.deep.equal(names);
  });

  it('work on nothing before the start, though woken', async () => {
    const pipeline = await yard.make();
    const id = await yard.deliver(await yard.source(), 'a');
    await pipeline.idle();
    expect(yard.tried).to.deep.equal([]);
    await pipeline.start();
    await pipeline.idle();
    expect(yard.tried).to.deep.equal([id]);
  });

  it('take turns: a source with much to do does not keep another waiting', async () => {
    const [much, little] = [await yard.source(), await yard.source()];
    await yard.deliver(much, 'much', 4_000);
    for (const name of ['much 2', 'much 3']) await yard.deliver(much, name, 2_000);
    const id = await yard.deliver(little, 'little');
    await (await yard.start()).idle();
    const at = yard.batches.findIndex(({ signals }) => signals.some(({ delivery_id }) => delivery_id === id));
    expect(at).to.be.lessThan(5);
    expect(yard.batches.length).to.be.greaterThan(16);
    for (const { signals } of yard.batches) expect(signals.length).to.be.at.most(500);
  });

  it('give a delivery up after three tries, alone, and go on with the next', async () => {
    const source = await yard.source();
    const ids = [await yard.deliver(source, 'a'), await yard.deliver(source, 'b'), await yard.deliver(source, 'c')];
    yard.poison.add(ids[1] ?? '');
    await (await yard.start()).idle();
    expect(state(ids[1] ?? '')).to.include({ state: 'dead', reason: 'gave_up', attempts: 3 });
    expect(titles(yard.batches)).to.deep.equal(['a', 'c']);
    expect(yard.tried.filter((id) => id === ids[1])).to.have.length(3);
  });

  it('try nothing that comes after a failure before that is settled', async () => {
    const source = await yard.source();
    const ids = [await yard.deliver(source, 'a'), await yard.deliver(source, 'b'), await yard.deliver(source, 'c')];
    const [a, b, c] = ids;
    // It fails once.
    let failures = 1;
    yard.poison.has = (id) => id === b && failures-- > 0;
    await (await yard.start()).idle();
    expect(yard.tried).to.deep.equal([a, b, b, c]);
    expect(titles(yard.batches)).to.deep.equal(['a', 'b', 'c']);
    for (const id of ids) expect(state(id)).to.include({ state: 'done' });
  });

  it('do not give up a delivery whose last try only the store could not record', async () => {
    const source = await yard.source();
    const id = await yard.deliver(source, 'a');
    let failures = 2;
    yard.poison.has = () => failures-- > 0;
    yard.storeErrors.push(new PlatformError('storage_unavailable'), new PlatformError('overloaded'));
    await (await yard.start()).idle();
    expect(state(id)).to.include({ state: 'done' });
    expect(yard.tried).to.have.length(5);
    expect(titles(yard.batches)).to.deep.equal(['a']);
  });

  it('record what was tried before alone, and the rest together', async () => {
    const source = await yard.source();
    const ids = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await yard.deliver(source, name));
    const leased_until = new Date(yard.clock.now() + 60_000).toISOString();
    const tried = [ids[0] ?? '', ids[3] ?? ''];
    await yard.store.write([operation(ingestionStore, 'lease', { delivery_ids: tried, until: leased_until })]);
    await (await yard.start()).idle();
    const together = yard.batches.map((batch) => titles([batch]).join(' '));
    expect(together).to.deep.equal(['a', 'b c', 'd', 'e']);
  });

  it('tell of each delivery that came to its end, whatever the end', async () => {
    const source = await yard.source();
    const ids = [
      await yard.deliver(source, 'a'),
      await yard.deliver(source, 'b', 1_200),
      await yard.deliver(source, 'c', 0),
    ];
    yard.poison.add(ids[0] ?? '');
    await (await yard.start()).idle();
    expect(ids.map((id) => state(id).state)).to.deep.equal(['dead', 'done', 'ignored']);
    expect(yard.finished).to.deep.equal([source, source, source]);
  });

  it('look again when something came while they looked', async () => {
    const source = await yard.source();
    const pipeline = await yard.start();
    let looks = 0;
    const { queued } = yard.reads;
    Object.assign(yard.reads, { queued: (...asked: Parameters<typeof queued>) => ((looks += 1), queued(...asked)) });
    pipeline.wake(source);
    pipeline.wake(source);
    await pipeline.idle();
    expect(looks).to.equal(2);
  });

  it('count the tries of a replayed delivery again, three at most', async () => {
    const source = await yard.source();
    const id = await yard.deliver(source, 'a');
    const pipeline = await yard.start();
    await pipeline.idle();
    yard.poison.add(id);
    await yard.store.write([operation(ingestionStore, 'requeue', { delivery_ids: [id] })]);
    pipeline.wake(source);
    await until(
      () => state(id),
      (found) => found.state === 'dead',
      'the dead letter',
    );
    expect(yard.tried).to.have.length(4);
  });

  it('make a dead letter of what ended the process three times, without a fourth try', async () => {
    const source = await yard.source();
    const [id, other] = [await yard.deliver(source, 'killer'), await yard.deliver(source, 'innocent')];
    const leased_until = new Date(yard.clock.now() + 60_000).toISOString();
    // The process took the delivery up, and was gone.
    for (let time = 0; time < 3; time++)
      await yard.store.write([operation(ingestionStore, 'lease', { delivery_ids: [id], until: leased_until })]);
    await (await yard.start()).idle();
    expect(state(id)).to.include({ state: 'dead', reason: 'gave_up' });
    expect(state(other)).to.include({ state: 'done' });
    expect(yard.tried).to.not.include(id);
  });

  it('try again what incidents could not take, and record it once', async () => {
    const source = await yard.source();
    const ids = [await yard.deliver(source, 'a'), await yard.deliver(source, 'b')];
    yard.sinkErrors.push(new Error('not now'));
    await (await yard.start()).idle();
    expect(titles(yard.batches)).to.deep.equal(['a', 'b']);
    for (const id of ids) expect(yard.reads.signalsOfDelivery(id)).to.have.length(1);
  });

  it('do not count a try that the store could not record', async () => {
    const source = await yard.source();
    const id = await yard.deliver(source, 'a');
    for (let time = 0; time < 4; time++) yard.storeErrors.push(new PlatformError('storage_unavailable'));
    await (await yard.start()).idle();
    expect(state(id)).to.include({ state: 'done', attempts: 1 });
    expect(yard.batches).to.have.length(1);
  });

  it('go on after a restart where the recorded part ends', async () => {
    const source = await yard.source();
    const id = await yard.deliver(source, 'long', 1_700);
    const pipeline = await yard.start();
    await pipeline.stop();
    const before = yard.reads.delivery(id)?.progress ?? 0;
    expect(before, 'stopped in the middle').to.be.greaterThan(0).and.lessThan(1_700);
    await (await yard.start()).idle();
    const signals = yard.reads.signalsOfDelivery(id);
    expect(signals.map(({ ordinal }) => ordinal)).to.deep.equal(Array.from({ length: 1_700 }, (_, index) => index));
    expect(state(id)).to.include({ state: 'done' });
  });

  it('take signals back with the step that replaces them, also over a restart', async () => {
    const source = await yard.source();
    const id = await yard.deliver(source, 'long', 1_200);
    await (await yard.start()).idle();
    const known = yard.reads.signalsOfDelivery(id);
    const signals = known.map(({ signal_id: _, ...signal }) => ({ ...signal, title: 'read again' }));
    await yard.store.write([operation(ingestionStore, 'requeue', { delivery_ids: [id] })]);
    const ids = createIds(yard.clock);
    for (const [from, to] of [
      [0, 500],
      [500, 1_000],
      [1_000, 1_200],
    ] as const) {
      // Planned again each time, as after the end of the process.
      const delivery = yard.reads.delivery(id);
      if (delivery === undefined) throw new Error('the delivery is gone');
      const step = nextStep(planWork(delivery, { signals, version: 1 }, yard.reads.signalsOfDelivery(id)), 500, ids);
      expect(step.withdrawn).to.deep.equal(known.slice(from, to).map(({ signal_id }) => signal_id));
      await yard.store.write([operation(ingestionStore, 'settle', step.settled)]);
      expect(yard.reads.delivery(id)?.signals).to.equal(1_200);
    }
    expect(state(id)).to.include({ state: 'done' });
    expect(new Set(yard.reads.signalsOfDelivery(id).map(({ title }) => title))).to.deep.equal(new Set(['read again']));
  });

  it('drop bodies that are due, and keep what incidents rest on', async () => {
    const source = await yard.source();
    const id = await yard.deliver(source, 'kept');
    const empty = await yard.deliver(source, 'nothing in it', 0);
    await (await yard.start()).idle();
    expect(state(empty)).to.include({ state: 'ignored' });
    const purge = () =>
      yard.store.write([operation(ingestionStore, 'purge', { now: new Date(yard.clock.now()).toISOString() })]);
    expect(await purge()).to.deep.equal([0]);
    yard.clock.ahead(4 * 86_400_000);
    expect(await purge()).to.deep.equal([2]);
    expect(yard.reads.evidence(id)).to.include({ raw_kept: false });
    expect(yard.reads.signalsOfDelivery(id)).to.have.length(1);
    expect(yard.reads.delivery(empty)).to.equal(undefined);
    expect(await purge(), 'nothing is due twice').to.deep.equal([0]);
  });
});
