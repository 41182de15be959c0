import { createServer } from 'node:http';
import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import type { VendorFault, VendorServer } from '../../helpers/vendor.ts';
import { startBed, type Bed, type Callback, type Made } from './bed.ts';

// Long enough for a busy machine: the callbacks of the other receiver must not wait for it.
const timeout_ms = 3000;
const dayMs = 86_400_000;

describe('receivers of callbacks', function () {
  this.timeout(120_000);
  let bed: Bed;
  let good: VendorServer;
  before(async () => {
    bed = await startBed({ timeout_ms });
    good = await bed.receiver();
  });
  after(() => bed.stop());

  const newest = async (made: Made, fits: (one: Callback) => boolean): Promise<Callback> => {
    const [found] = await until(
      () => bed.callbacks(made),
      ([one]) => one !== undefined && fits(one),
      'a try',
    );
    return found as Callback;
  };
  const remove = (made: Made) => bed.platform.call('DELETE', `/subscriptions/${made.subscription.subscription_id}`);

  const bad: readonly { name: string; fault?: VendorFault; tls?: true; failure: RegExp }[] = [
    { name: 'that fail', fault: { status: 500 }, failure: /^the receiver responded with status 500$/ },
    {
      name: 'that redirect',
      fault: { status: 307, headers: { location: 'https://169.254.169.254/' } },
      failure: /^the receiver responded with status 307; redirects are not followed$/,
    },
    { name: 'that never answer', fault: 'hang', failure: /^no response within 3000 ms$/ },
    { name: 'that break off', fault: 'lost', failure: /^the connection failed/ },
    { name: 'with an unknown certificate', tls: true, failure: /^the connection failed \(\w*CERT\w*\)$/ },
  ];
  for (const { name, fault, tls, failure } of bad)
    it(`${name} are asked again later, and delay no other`, async () => {
      const receiver = await bed.receiver(tls === undefined ? {} : { tls });
      receiver.fault = fault;
      const [made, other] = [
        await bed.subscribe(receiver.url),
        await bed.subscribe(good.url.replace('127.0.0.1', 'localhost')),
      ];
      const before = good.posts.length;
      await Promise.all(Array.from({ length: 8 }, (_, at) => bed.run(`${name} ${at}`)));
      const begun = performance.now();
      await until(
        () => good.posts.length,
        (count) => count === before + 8,
        'the callbacks of the other',
      );
      expect(performance.now() - begun).to.be.lessThan(timeout_ms);
      const tried = await newest(made, ({ tries }) => tries === 1);
      expect(tried.failure).to.match(failure);
      expect(tried.state).to.equal('waiting');
      expect(Date.parse(String(tried.next_at)) - Date.now()).to.be.within(0, 6000);
      await Promise.all([remove(made), remove(other)]);
    });

  it('that answer 2xx have taken it, though their answer never ends', async () => {
    const endless = createServer((_, response) => {
      response.writeHead(200).write('x');
      const more = setInterval(() => response.write('x'.repeat(10_000)), 5);
      response.once('close', () => clearInterval(more));
    });
    const { url, close } = await bed.receiver();
    await close();
    await new Promise<void>((resolve) => endless.listen(Number(new URL(url).port), '127.0.0.1', resolve));
    const made = await bed.subscribe(url);
    await bed.run('endless');
    expect(await newest(made, ({ state }) => state === 'delivered')).to.include({ status: 200, tries: 1 });
    await remove(made);
    endless.closeAllConnections();
    endless.close();
  });

  it('are asked after the pauses of the table, then no more, until somebody says so', async () => {
    const receiver = await bed.receiver();
    receiver.fault = { status: 503 };
    const made = await bed.subscribe(receiver.url);
    await bed.run('table');
    const seconds = [5, 300, 1800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3600)];
    for (const [at, pause] of seconds.entries()) {
      const { next_at = '' } = await newest(made, ({ tries }) => tries === at + 1);
      const [{ last_at = '' } = {}] = (await bed.callbacks(made)) as readonly { last_at?: string }[];
      expect((Date.parse(next_at) - Date.parse(last_at)) / 1000).to.be.within(pause * 0.9 - 1, pause * 1.1 + 1);
      bed.advance(Date.parse(next_at) - Date.parse(last_at) + 1000);
    }
    const dead = await newest(made, ({ state }) => state === 'dead');
    expect(dead).to.include({ tries: 10, status: 503 });
    expect(dead).not.to.have.property('next_at');
    expect(new Set(receiver.posts.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    receiver.fault = undefined;
    const path = `/subscriptions/${made.subscription.subscription_id}/callbacks/${dead.callback_id}/redeliver`;
    expect((await bed.platform.call('POST', path)).status).to.equal(202);
    await newest(made, ({ state }) => state === 'delivered');
    await until(
      () => bed.show(made),
      (shown) => !('failing_since' in shown),
      'a receiver that fails no more',
    );
    await remove(made);
  });

  const incidents = async () =>
    ((await bed.platform.call('GET', '/incidents')).body.incidents as readonly {
      state: string;
      incident_id: string;
    }[]) ?? [];

  it('that fail for five days are switched off with an incident, until they are active again', async () => {
    const receiver = await bed.receiver();
    receiver.fault = { status: 500 };
    const made = await bed.subscribe(receiver.url);
    for (const day of [0, 1, 2, 3, 4]) {
      await bed.run(`day ${day}`);
      await newest(made, ({ tries }) => tries === 1);
      expect((await bed.show(made))['state']).to.equal('active');
      if (day === 3) await bed.restart();
      bed.advance(dayMs + 60_000);
    }
    await until(
      () => bed.show(made),
      ({ state }) => state === 'off',
      'the end of patience',
    );
    expect((await bed.show(made))['reason']).to.equal('no callback was accepted for 5 days');
    const before = (await bed.callbacks(made)).length;
    await bed.run('nobody hears');
    expect((await bed.callbacks(made)).length).to.equal(before);
    const [incident] = await until(incidents, (all) => all.some(({ state }) => state === 'open'), 'an incident');
    const { body } = await bed.platform.call('GET', `/incidents/${incident?.incident_id}`);
    expect(JSON.stringify(body)).to.include(made.subscription.subscription_id);
    const status = await bed.platform.call('GET', '/status', undefined, null);
    expect(JSON.stringify(status.body)).not.to.match(/degraded|outage"/);
    await bed.restart();
    expect((await incidents()).length).to.equal(1);
    receiver.fault = undefined;
    await bed.platform.call('PATCH', `/subscriptions/${made.subscription.subscription_id}`, { state: 'active' });
    await until(incidents, ([one]) => one?.state === 'resolved', 'the end of the incident');
    await remove(made);
  });

  it('that are gone (410) are switched off at once', async () => {
    const receiver = await bed.receiver();
    receiver.fault = { status: 410 };
    const made = await bed.subscribe(receiver.url);
    await bed.run('gone');
    await until(
      () => bed.show(made),
      ({ state }) => state === 'off',
      'the end',
    );
    expect(await newest(made, ({ state }) => state === 'dead')).to.include({ status: 410, tries: 1 });
    await remove(made);
  });

  it('lose a body after seven days, and the callback after thirty', async () => {
    const receiver = await bed.receiver();
    const made = await bed.subscribe(receiver.url);
    const path = `/subscriptions/${made.subscription.subscription_id}`;
    await bed.platform.call('PATCH', path, { state: 'paused' });
    await bed.run('old');
    const { callback_id } = await newest(made, ({ state }) => state === 'waiting');
    bed.advance(7 * dayMs + 60_000);
    await newest(made, ({ state }) => state === 'dead');
    const again = await bed.platform.call('POST', `${path}/callbacks/${callback_id}/redeliver`);
    expect([again.status, again.body.code]).to.deep.equal([409, 'callback_erased']);
    bed.advance(24 * dayMs);
    await until(
      () => bed.callbacks(made),
      (all) => all.length === 0,
      'an empty list',
    );
    await remove(made);
  });
});
