import { expect } from 'chai';
import { changes, noon, openBench, opened, signalOf, sourceOf } from '../bench.ts';

describe('attesting incidents', () => {
  it('attests the whole state with the deliveries that a change adds, and tells of it afterwards', async () => {
    const { bench, id } = await opened();
    const source = sourceOf('one');
    const other = sourceOf('two', {}, { binding: { kind: 'provider', id: 'smtp-main' } });
    await bench.deliver(other, [signalOf(other, { at: 5, severity: 'high' })]);
    await bench.deliver(source, [signalOf(source, { at: 9, state: 'acknowledged' })]);
    expect(changes(bench)).to.deep.equal(['opened 1 open', 'changed 2 open', 'changed 3 acknowledged']);
    expect(bench.told).to.deep.equal([`opened ${id}`, `changed ${id}`, `changed ${id}`]);
    expect(bench.facts.map(({ fact }) => fact.facts.deliveries.length)).to.deep.equal([1, 1, 1]);
    expect(bench.facts[1]?.fact.facts).to.deep.include({
      severity: 'critical',
      scope: [{ kind: 'provider', id: 'smtp-main' }],
      starts_at: '2026-11-20T12:00:00.000Z',
    });
    expect((await bench.side.service.find(id))?.corroborated).to.equal(true);
    await bench.close();
  });

  it('a repeated firing attests nothing', async () => {
    const { bench } = await opened();
    const source = sourceOf('one');
    for (const at of [10, 20, 30]) await bench.deliver(source, [signalOf(source, { at })]);
    expect(changes(bench)).to.deep.equal(['opened 1 open']);
    await bench.close();
  });

  it('lists the delivery that ended an alert once the incident is over, and no firing between', async () => {
    const bench = await openBench();
    const source = sourceOf('one', { hold_s: 0 });
    const [first, again, last] = [
      signalOf(source, { at: 0 }),
      signalOf(source, { at: 10 }),
      signalOf(source, { at: 30, state: 'resolved' }),
    ];
    for (const signal of [first, again, last]) await bench.deliver(source, [signal]);
    await bench.tick(noon + 60_000);
    const listed = bench.facts.map(({ fact }) => fact.facts.deliveries.map(({ delivery_id }) => delivery_id));
    expect(listed).to.deep.equal([[first.delivery_id], [last.delivery_id]]);
    await bench.close();
  });

  it('takes no event of what only informs, nor of analytics', async () => {
    const bench = await openBench();
    const source = sourceOf('one');
    const fires = signalOf(source, { alert: 'a', at: 0 });
    const informs = signalOf(source, { alert: 'b', at: 1, state: 'info' });
    const counts = { ...signalOf(source, { alert: 'c', at: 2 }), type: 'orb.signal.analytics' as const };
    await bench.deliver(source, [fires, informs, counts]);
    const taken = [fires, informs, counts].map(({ signal_id }) => bench.reads.event(signal_id) !== undefined);
    expect(taken).to.deep.equal([true, false, false]);
    expect(bench.live()).to.have.length(1);
    await bench.close();
  });

  it('lists what made an alert worse: a firing, not an acknowledgement that is said again with another severity', async () => {
    const bench = await openBench();
    const source = sourceOf('one');
    const said = [
      signalOf(source, { at: 0, severity: 'warning' }),
      signalOf(source, { at: 10, severity: 'warning', state: 'acknowledged' }),
      signalOf(source, { at: 20, severity: 'critical', state: 'acknowledged' }),
      signalOf(source, { at: 30, severity: 'critical' }),
    ];
    for (const signal of said) await bench.deliver(source, [signal]);
    const listed = bench.facts.flatMap(({ fact }) => fact.facts.deliveries.map(({ delivery_id }) => delivery_id));
    expect(listed).to.deep.equal([0, 1, 3].map((at) => said[at]?.delivery_id));
    await bench.close();
  });

  it('lists a surer word of the same alert, though it says nothing new', async () => {
    const bench = await openBench();
    const source = sourceOf('one');
    for (const strength of ['shared_secret', 'strong', 'strong'] as const)
      await bench.deliver(source, [
        signalOf(source, { at: bench.facts.length, strength, key: `${bench.told.length}${strength}` }),
      ]);
    const listed = bench.facts.flatMap(({ fact }) => fact.facts.deliveries.map(({ auth_strength }) => auth_strength));
    expect(listed).to.deep.equal(['shared_secret', 'strong']);
    await bench.close();
  });

  it('ends a weak alert by a sure resolution, and lists the weak words alone', async () => {
    const bench = await openBench();
    const source = sourceOf('one', { hold_s: 0 });
    await bench.deliver(source, [signalOf(source, { at: 0, strength: 'url_token' })]);
    await bench.deliver(source, [signalOf(source, { at: 30, state: 'resolved' })]);
    await bench.tick(noon + 60_000);
    const [incident] = bench.live();
    expect([incident?.kind, incident?.facts.state, incident?.facts.scope]).to.deep.equal(['weak', 'resolved', []]);
    const listed = bench.facts.flatMap(({ fact }) => fact.facts.deliveries.map(({ auth_strength }) => auth_strength));
    expect(listed).to.deep.equal(['url_token']);
    await bench.close();
  });

  it('lists many deliveries in several entries, so that a statement stays small', async () => {
    const bench = await openBench();
    const source = sourceOf('one');
    const signals = Array.from({ length: 120 }, (_, index) => signalOf(source, { alert: `alert ${index}`, at: index }));
    await bench.deliver(source, signals);
    expect(changes(bench)).to.deep.equal(['opened 1 open', 'changed 2 open', 'changed 3 open']);
    expect(bench.facts.map(({ fact }) => fact.facts.deliveries.length)).to.deep.equal([50, 50, 20]);
    await bench.close();
  });

  for (const when of ['before', 'after'] as const) {
    it(`a crash ${when} the commit neither loses a change nor attests it twice`, async () => {
      const bench = await openBench();
      const source = sourceOf('one');
      bench.fail = when;
      await bench.deliver(source, [signalOf(source, { at: 0 })]);
      const known = bench.facts.length;
      const next = await bench.restart();
      expect(known + next.facts.length).to.equal(1);
      expect(next.live().map(({ facts, change_number }) => [facts.state, change_number])).to.deep.equal([['open', 1]]);
      await next.deliver(source, [signalOf(source, { at: 30, state: 'resolved' })]);
      await next.tick(noon + 120_000);
      expect(next.live().map(({ facts, change_number }) => [facts.state, change_number])).to.deep.equal([
        ['resolved', 2],
      ]);
      await next.close();
    });
  }

  it('signals that are written while another change is attested stay due over a crash', async () => {
    let bench = await openBench();
    const source = sourceOf('one');
    bench.during = () => bench.write(source, [signalOf(source, { at: 9, state: 'acknowledged' })]);
    await bench.deliver(source, [signalOf(source, { at: 0 })]);
    expect(bench.live()[0]?.facts.state).to.equal('open');
    bench = await bench.restart();
    expect(bench.live()[0]?.facts.state).to.equal('acknowledged');
    await bench.close();
  });

  it('a crash between an incident and the one it takes in retracts the other after the start', async () => {
    let bench = await openBench();
    const source = sourceOf('one', { hold_s: 0 });
    for (const [at, state] of [
      [0, 'firing'],
      [30, 'resolved'],
      [1500, 'firing'],
      [1600, 'resolved'],
    ] as const)
      await bench.deliver(source, [signalOf(source, { at, state })]);
    await bench.tick(noon + 3_600_000);
    expect(bench.live()).to.have.length(2);
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 800, state: 'resolved' })]);
    bench.fail = 'after';
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 700 })]);
    expect(bench.live()).to.have.length(2);
    bench = await bench.restart();
    expect(bench.live()).to.have.length(1);
    expect(bench.facts.map(({ fact }) => [fact.facts.change, fact.facts.reason])).to.deep.equal([
      ['retracted', 'merged'],
    ]);
    await bench.close();
  });

  it('what time alone changes is attested after a restart, too', async () => {
    let { bench } = await opened();
    const source = sourceOf('one');
    await bench.deliver(source, [signalOf(source, { at: 30, state: 'resolved' })]);
    bench = await bench.restart();
    await bench.tick(noon + 90_000);
    expect(changes(bench)).to.deep.equal(['changed 2 resolved']);
    await bench.close();
  });
});

describe('providers under incidents', () => {
  it('are reported by the worst open one, and withdrawn when it ends', async () => {
    const bench = await openBench();
    const source = sourceOf('one', { hold_s: 0 });
    await bench.deliver(source, [signalOf(source, { at: 0, severity: 'warning' })]);
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 1 })]);
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 2, state: 'resolved' })]);
    await bench.tick(noon + 5000);
    await bench.deliver(source, [signalOf(source, { at: 3, state: 'resolved', severity: 'warning' })]);
    await bench.tick(noon + 6000);
    expect(bench.providers).to.deep.equal([
      'smtp-main degraded',
      'smtp-main down',
      'smtp-main degraded',
      'smtp-main up',
    ]);
    await bench.close();
  });

  it('are reported again after a restart', async () => {
    let { bench } = await opened();
    bench = await bench.restart();
    expect(bench.providers).to.deep.equal(['smtp-main down']);
    await bench.close();
  });
});
