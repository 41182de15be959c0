import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { operation } from '../../../../kernel/index.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { openYard, type Yard } from '../signals/yard.ts';

describe('the deliveries in the store', () => {
  let yard: Yard;
  let source: string;
  beforeEach(async () => {
    yard = await openYard();
    source = await yard.source();
  });
  afterEach(() => yard.close());

  const far = '2999-01-01T00:00:00.000Z';
  const done = async (alerts?: number): Promise<string> => {
    const id = await yard.deliver(source, 'done', alerts);
    const pipeline = await yard.start();
    await pipeline.idle();
    await pipeline.stop();
    return id;
  };
  const lease = (id: string) =>
    yard.store.write([operation(ingestionStore, 'lease', { delivery_ids: [id], until: far })]);
  const requeue = async (id: string): Promise<number> => {
    const [queued] = await yard.store.write([operation(ingestionStore, 'requeue', { delivery_ids: [id] })]);
    return queued;
  };
  const purge = async (now: string): Promise<number> => {
    const [dropped] = await yard.store.write([operation(ingestionStore, 'purge', { now })]);
    return dropped;
  };
  const of = (id: string) => {
    const { state, attempts } = yard.reads.delivery(id) ?? {};
    return [state, attempts];
  };

  it('are queued again with all their tries once they are at their end', async () => {
    const id = await done();
    expect(of(id)).to.deep.equal(['done', 1]);
    expect(await requeue(id)).to.equal(1);
    expect(of(id)).to.deep.equal(['queued', 0]);
  });

  it('get no more tries by that while they wait', async () => {
    const id = await yard.deliver(source, 'waits');
    await lease(id);
    expect([await requeue(id), of(id)]).to.deep.equal([0, ['queued', 1]]);
  });

  it('stay at their end when there is no body to read', async () => {
    const id = await done();
    await purge(far);
    expect([await requeue(id), of(id)]).to.deep.equal([0, ['done', 1]]);
  });

  it('are not tried once they are at their end', async () => {
    const id = await done();
    await lease(id);
    expect(of(id)).to.deep.equal(['done', 1]);
  });

  it('are kept until their time is over, and for ever while they wait', async () => {
    const waits = await yard.deliver(source, 'waits');
    expect(await purge(far)).to.equal(0);
    expect(of(waits)).to.deep.equal(['queued', 0]);
    const delivered = yard.clock.now();
    await until(
      () => yard.clock.now(),
      (now) => now > delivered,
      'a later millisecond',
    );
    const id = await done(0);
    const { keep_until = '' } = yard.reads.delivery(id) ?? {};
    expect(await purge(yard.reads.delivery(waits)?.keep_until ?? '')).to.equal(0);
    expect(await purge(keep_until)).to.equal(1);
    expect(yard.reads.delivery(id), 'its own time is not over').not.to.equal(undefined);
    expect(await purge(far)).to.equal(1);
    expect(yard.reads.delivery(id)).to.equal(undefined);
  });
});
