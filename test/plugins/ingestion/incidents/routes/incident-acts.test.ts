import { expect } from 'chai';
import { changes, noon, openBench, opened, signalOf, sourceOf, type Bench } from '../bench.ts';

const prn = 'prn_01JD5ZK0000000000000000000';

describe('what people decide', () => {
  it('a resolution stays for what fires then; the next firing opens again', async () => {
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
    // It ended at the very moment of the act.
    const ending = { alert: 'e', at: 60, state: 'resolved' } as const;
    await bench.deliver(source, [signalOf(source, { alert: 'e', at: 50 }), signalOf(source, ending)]);
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

  it('what only a person may close opens again once its vendor ended it after them', async () => {
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

  it('what they closed does not open again when its first events are old and it fires on', async () => {
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
