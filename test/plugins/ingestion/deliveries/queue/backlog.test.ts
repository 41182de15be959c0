import { expect } from 'chai';
import { operation } from '../../../../../kernel/index.ts';
import { createBacklog } from '../../../../../plugins/ingestion/deliveries/queue/backlog.ts';
import ingestionStore from '../../../../../plugins/ingestion/store.ts';
import { readsNow } from '../../../../helpers/reads.ts';
import { openYard, type Yard } from '../../signals/yard.ts';

describe('the backlog', () => {
  let yard: Yard;
  beforeEach(async () => {
    yard = await openYard();
  });
  afterEach(() => yard.close());

  const pause = (source_id: string) => {
    const record = { source_id, name: 'yard', vendor: 'alertmanager' as const, paused: true };
    const sources = readsNow(yard.store, ingestionStore).sources.all();
    const since = sources.find((source) => source.record.source_id === source_id)?.updated_at ?? '';
    const at = '2026-11-21T12:00:00.000Z';
    return yard.store.write([operation(ingestionStore, 'changeSource', { record, since, at })]);
  };

  it('counts what waits of each source, from what is stored on', async () => {
    const [one, other] = [await yard.source(), await yard.source()];
    for (const name of ['a', 'b']) await yard.deliver(one, name);
    const backlog = await createBacklog(yard.reads, yard.clock, 100);
    backlog.add(other, 3);
    backlog.finished(one);
    expect([backlog.depth(), backlog.depthOf(one), backlog.depthOf(other)]).to.deep.equal([4, 1, 3]);
  });

  it('never falls below none: what ended twice takes no place of another', async () => {
    const source = await yard.source();
    const backlog = await createBacklog(yard.reads, yard.clock, 2);
    backlog.finished(source);
    backlog.add(source, 2);
    expect([backlog.depth(), backlog.depthOf(source)]).to.deep.equal([2, 2]);
    expect(backlog.health()).to.include({ health: 'down' });
  });

  it('is late when a delivery waits for a minute, but not when its source is paused', async () => {
    const source = await yard.source();
    await yard.deliver(source, 'a');
    yard.clock.ahead(120_000);
    expect((await createBacklog(yard.reads, yard.clock, 100)).health()).to.include({ health: 'degraded' });
    await pause(source);
    const backlog = await createBacklog(yard.reads, yard.clock, 100);
    expect([backlog.health(), backlog.depth()]).to.deep.equal([{ health: 'up' }, 1]);
  });
});
