import { expect } from 'chai';
import { noon, openBench, signalOf, sourceOf, type Bench } from './bench.ts';

const prn = 'prn_01JD5ZK0000000000000000000';

const changes = (bench: Bench): readonly string[] =>
  bench.facts.map(({ fact }) => `${fact.facts.change} ${fact.facts.change_number} ${fact.facts.state}`);

async function opened(): Promise<{ bench: Bench; id: string }> {
  const bench = await openBench();
  const source = sourceOf('one');
  await bench.deliver(source, [signalOf(source, { at: 0 })]);
  return { bench, id: bench.live()[0]?.incident_id ?? '' };
}

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
    expect(bench.side.service.find(id)?.corroborated).to.equal(true);
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

describe('what people decide', () => {
  it('a resolution stays for what fires then; the next firing opens anew', async () => {
    const { bench, id } = await opened();
    bench.now(noon + 60_000);
    await acts(bench, 'resolve', id);
    const source = sourceOf('one');
    await bench.deliver(source, [signalOf(source, { at: 70 })]);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['resolved']);
    expect(bench.facts.at(-1)?.fact.facts).to.deep.include({ principal: prn, reason: 'because', state: 'resolved' });
    await bench.deliver(source, [signalOf(source, { at: 80, state: 'resolved' }), signalOf(source, { at: 90 })]);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['open', 'resolved']);
    await bench.close();
  });

  it('a resolution closes all alerts of the incident; what comes late joins it only if it was over', async () => {
    const { bench, id } = await opened();
    const source = sourceOf('one');
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 10 })]);
    bench.now(noon + 60_000);
    await acts(bench, 'resolve', id);
    const closed = { state: 'resolved', starts_at: '2026-11-20T12:00:00.000Z', ends_at: '2026-11-20T12:01:00.000Z' };
    expect(bench.live().map(({ facts }) => facts)).to.have.length(1);
    expect(bench.live()[0]?.facts).to.deep.include(closed);
    const late = [
      signalOf(source, { alert: 'c', at: 20 }),
      signalOf(source, { alert: 'c', at: 30, state: 'resolved' }),
    ];
    await bench.deliver(source, late);
    expect(bench.live()).to.have.length(1);
    expect(bench.live()[0]?.facts).to.deep.include({ ...closed, principal: prn });
    await bench.deliver(source, [signalOf(source, { alert: 'd', at: 40 })]);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['open', 'resolved']);
    await bench.close();
  });

  it('a resolution closes what came in a later part of a delivery that was listed: no receipt told of that', async () => {
    const { bench, id } = await opened();
    const source = sourceOf('one');
    const { delivery_id } = signalOf(source, { at: 0 });
    await bench.deliver(source, [{ ...signalOf(source, { alert: 'b', at: 10 }), delivery_id }]);
    expect(changes(bench)).to.deep.equal(['opened 1 open']);
    bench.now(noon + 60_000);
    await acts(bench, 'resolve', id);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['resolved']);
    await bench.close();
  });

  it('an acknowledgement and notes survive duplicates, re-firing and a restart', async () => {
    const first = await opened();
    const { id } = first;
    let { bench } = first;
    await acts(bench, 'acknowledge', id);
    await call(bench, 'POST', '/incidents/{incident_id}/notes', { incident_id: id }, { text: 'looking' });
    const source = sourceOf('one');
    await bench.deliver(source, [signalOf(source, { at: 0 }), signalOf(source, { at: 50 })]);
    bench = await bench.restart();
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 60 })]);
    expect(bench.live()[0]?.facts).to.deep.include({ state: 'acknowledged', principal: prn });
    expect(bench.reads.notes(id).map(({ text }) => text)).to.deep.equal(['looking']);
    await bench.close();
  });

  it('a retraction takes the incident back with its reason, and a later firing opens another', async () => {
    const { bench, id } = await opened();
    await acts(bench, 'retract', id);
    const last = bench.facts.at(-1)?.fact.facts;
    expect(last).to.deep.include({ change: 'retracted', principal: prn, reason: 'because' });
    const source = sourceOf('one');
    await bench.deliver(source, [signalOf(source, { at: 5 })]);
    expect(bench.live()).to.deep.equal([]);
    expect(bench.providers.at(-1)).to.equal('smtp-main up');
    await bench.deliver(source, [signalOf(source, { at: 8, state: 'resolved' }), signalOf(source, { at: 10 })]);
    expect(bench.live()).to.have.length(1);
    expect(bench.reads.incident(id)?.retracted).to.equal(true);
    await bench.close();
  });

  it('a retraction holds after a restart: nothing is open, and no provider is down', async () => {
    const { bench, id } = await opened();
    await acts(bench, 'retract', id);
    const next = await bench.restart();
    expect([next.side.service.open(), next.providers]).to.deep.equal([[], []]);
    await next.close();
  });

  it('what only a person may close opens anew once its vendor ended it after them', async () => {
    const bench = await openBench();
    const source = sourceOf('one', { auto_resolve: 'never' });
    await bench.deliver(source, [signalOf(source, { at: 0 }), signalOf(source, { at: 30, state: 'resolved' })]);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['open']);
    bench.now(noon + 60_000);
    await acts(bench, 'resolve', bench.live()[0]?.incident_id ?? '');
    await bench.deliver(source, [signalOf(source, { at: 70 })]);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['resolved']);
    await bench.deliver(source, [signalOf(source, { at: 80, state: 'resolved' }), signalOf(source, { at: 90 })]);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['open', 'resolved']);
    await bench.close();
  });

  it('what they closed does not open anew when its first events are old and it fires on', async () => {
    const { bench, id } = await opened();
    const daySeconds = 86_400;
    const source = sourceOf('one');
    bench.now(noon + 60_000);
    await acts(bench, 'resolve', id);
    for (const day of [50, 100]) {
      bench.now(noon + day * daySeconds * 1000);
      await bench.deliver(source, [signalOf(source, { at: day * daySeconds })]);
    }
    await bench.side.forget(noon + 10 * daySeconds * 1000);
    await bench.deliver(source, [signalOf(source, { at: 100 * daySeconds + 1 })]);
    expect(bench.live().map(({ incident_id, facts }) => [incident_id, facts.state])).to.deep.equal([[id, 'resolved']]);
    await bench.close();
  });

  it('a later acknowledgement is shown after a restart, though it needs no receipt', async () => {
    const { bench, id } = await opened();
    for (const at of [1000, 2000]) {
      bench.now(noon + at);
      await acts(bench, 'acknowledge', id);
    }
    const next = await bench.restart();
    expect(next.live()[0]?.shown.acknowledged_at).to.equal('2026-11-20T12:00:02.000Z');
    await next.close();
  });

  it('what could not be attested did not happen', async () => {
    const { bench, id } = await opened();
    bench.fail = 'before';
    const refused = await acts(bench, 'resolve', id).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    bench.fail = undefined;
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['open']);
    await bench.tick(noon + 5000);
    expect(bench.live().map(({ facts }) => facts.state)).to.deep.equal(['open']);
    await bench.close();
  });
});

function acts(bench: Bench, verb: 'acknowledge' | 'resolve' | 'retract', id: string): Promise<unknown> {
  const body = verb === 'acknowledge' ? {} : { reason: 'because' };
  return call(bench, 'POST', `/incidents/{incident_id}/${verb}`, { incident_id: id }, body);
}

async function call(bench: Bench, method: string, path: string, params: object, body: object): Promise<unknown> {
  const route = bench.side.routes.find((one) => one.method === method && one.path === path);
  return route?.handle({ params, body, principal: { id: prn } } as never);
}
