import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/index.ts';
import { keptSlots } from '../../../../plugins/schedules/store.ts';
import { Nodes, type Made } from './nodes.ts';

const minute = 60_000;
const each: Made = { cron: '* * * * *', timezone: 'UTC', catch_up: 'none' };
const at = (time: string): number => Date.parse(`2026-11-23T${time}Z`);

describe('the slots of schedules', () => {
  let nodes: Nodes;
  const begin = async (made: Made, count = 1): Promise<string> => {
    nodes = new Nodes('2026-11-23T10:00:30Z');
    await nodes.start(count);
    const [id = ''] = await nodes.make([made]);
    return id;
  };
  const planned = (): readonly string[] =>
    nodes.runs.map(({ planned_at }) => new Date(planned_at).toISOString().slice(11, 16));
  afterEach(() => nodes.close());

  it('have a key of the schedule and the planned time', async () => {
    const id = await begin(each);
    await nodes.look(at('10:01:00'));
    const key = createHash('sha256').update(`${id}\n2026-11-23T10:01:00.000Z`).digest('hex');
    expect(nodes.runs.map((run) => run.key)).to.deep.equal([key]);
  });

  it('have one run on two nodes that look at once', async () => {
    await begin(each, 2);
    for (let one = 1; one <= 5; one++) await nodes.look(at(`10:0${one}:01`));
    expect(planned()).to.deep.equal(['10:01', '10:02', '10:03', '10:04', '10:05']);
  });

  it('have one run when the clock is set back, and those that had none get theirs', async () => {
    const id = await begin(each);
    await nodes.look(at('10:01:00'));
    await nodes.look(at('15:00:00'));
    expect(planned()).to.deep.equal(['10:01', '14:59', '15:00']);
    await nodes.look(at('10:00:40'));
    expect(nodes.row(id)?.next_at).to.equal(at('10:01:00'));
    for (let one = 1; one <= 4; one++) await nodes.look(at(`10:0${one}:20`));
    // 10:02 was marked as missed when the clock had jumped forth.
    expect(planned()).to.deep.equal(['10:01', '14:59', '15:00', '10:03', '10:04']);
    await nodes.look(at('15:00:10'));
    expect(planned().slice(5)).to.deep.equal([]);
  });

  it('that were missed run once with catch_up "one", and a restart changes nothing', async () => {
    await begin({ ...each, cron: '0 * * * *', catch_up: 'one' });
    await nodes.start();
    await nodes.look(at('14:20:00'));
    expect(planned()).to.deep.equal(['11:00']);
    await nodes.start();
    await nodes.look(at('15:00:30'));
    expect(planned()).to.deep.equal(['11:00', '15:00']);
  });

  it('that were missed do not run with catch_up "none"', async () => {
    await begin({ ...each, cron: '0 * * * *' });
    await nodes.look(at('14:20:00'));
    await nodes.look(at('15:01:00'));
    expect(planned()).to.deep.equal(['15:00']);
    await nodes.look(at('16:01:01'));
    expect(planned()).to.deep.equal(['15:00']);
  });

  it('are left out while the run before waits with overlap "skip", and queued with "queue"', async () => {
    await begin({ ...each, overlap: 'skip' });
    const [queued = ''] = await nodes.make([{ ...each, overlap: 'queue' }]);
    await nodes.look(at('10:01:00'));
    await nodes.look(at('10:02:00'));
    expect(planned()).to.deep.equal(['10:01', '10:01', '10:02']);
    expect(nodes.runs.at(-1)?.schedule_id).to.equal(queued);
    nodes.waiting.clear();
    await nodes.look(at('10:03:00'));
    expect(planned().slice(3)).to.deep.equal(['10:03', '10:03']);
  });

  it('are tried again while the queue is full, then missed', async () => {
    const id = await begin({ ...each, cron: '0 * * * *' });
    nodes.refusal = new PlatformError('queue_full');
    await nodes.look(at('11:00:00'));
    await nodes.look(at('11:00:10'));
    expect(nodes.asked).to.equal(1);
    expect(nodes.row(id)?.due_at).to.equal(at('11:00:30'));
    nodes.refusal = undefined;
    await nodes.look(at('11:00:30'));
    expect(planned()).to.deep.equal(['11:00']);
    nodes.refusal = new PlatformError('queue_full');
    await nodes.look(at('12:00:00'));
    nodes.refusal = undefined;
    await nodes.look(at('12:01:01'));
    expect(planned()).to.deep.equal(['11:00']);
    expect(nodes.row(id)?.next_at).to.equal(at('13:00:00'));
  });

  it('pause their schedule when its Orb is gone', async () => {
    const id = await begin(each);
    nodes.refusal = new PlatformError('orb_not_found');
    await nodes.look(at('10:01:00'));
    expect(nodes.row(id)).to.include({ state: 'paused', reason: 'orb_not_found', next_at: null });
  });

  it('end with until', async () => {
    const id = await begin({ ...each, until_at: at('10:02:00') });
    for (let one = 1; one <= 4; one++) await nodes.look(at(`10:0${one}:00`));
    expect(planned()).to.deep.equal(['10:01', '10:02']);
    expect(nodes.row(id)).to.include({ state: 'ended', next_at: null });
  });

  it('that are no longer kept never run again', async () => {
    const id = await begin(each);
    const first = at('10:01:00');
    const last = keptSlots + 20;
    for (let one = 0; one < last; one++) await nodes.look(first + one * minute);
    expect(nodes.runs).to.have.length(last);
    expect(nodes.row(id)?.floor_at).to.equal(first + 19 * minute);
    await nodes.look(first - 1000);
    expect(nodes.row(id)?.next_at).to.equal(first + 20 * minute);
    for (let one = 0; one <= last; one++) await nodes.look(first + one * minute);
    expect(nodes.runs).to.have.length(last + 1);
  }).timeout(60_000);
});
