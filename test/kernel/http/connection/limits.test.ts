import { expect } from 'chai';
import { createBucket, createPace } from '../../../../kernel/http/connection/limits.ts';
import { atTime } from '../../../helpers/command.ts';
import { expectProblem, send, type Received } from '../../../helpers/http.ts';
import { fullKey, startHttp, type Fixture } from '../fixture.ts';

async function many(count: number, one: () => Promise<Received>): Promise<readonly Received[]> {
  return Promise.all(Array.from({ length: count }, one));
}

describe('the limits per address', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await startHttp({ trustProxy: ['127.0.0.1'] });
  });
  afterEach(() => fixture.http.drain(0));

  it('answers 429 beyond 60 failed authentications a minute, and serves valid keys on', async () => {
    const answers = await many(70, () => send(fixture.base, '/things/1', { key: 'guess' }));
    expect(answers.filter(({ status }) => status === 401)).to.have.length(60);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).to.have.length(10);
    for (const answer of refused) expectProblem(answer, 429, 'rate_limited');
    expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await send(fixture.base, '/things/1', { key: fullKey })).status).to.equal(200);
  });

  it('counts a missing key like a wrong one', async () => {
    const answers = await many(61, () => send(fixture.base, '/things/1'));
    expect(answers.filter(({ status }) => status === 429)).to.have.length(1);
  });

  it('counts by the address of the caller, not of the proxy', async () => {
    const from = (ip: string) => () => send(fixture.base, '/things/1', { headers: { 'x-forwarded-for': ip } });
    await many(61, from('198.51.100.1'));
    expect((await from('198.51.100.1')()).status).to.equal(429);
    expect((await from('203.0.113.77')()).status).to.equal(401);
  });

  it('answers 429 beyond 50 requests a second to public routes, and tells what is left', async () => {
    const first = await send(fixture.base, '/list');
    expect(first.headers.get('ratelimit-policy')).to.equal('"public";q=50;w=1');
    expect(first.headers.get('ratelimit')).to.equal('"public";r=49;t=1');
    const answers = await many(150, () => send(fixture.base, '/list'));
    const refused = answers.find(({ status }) => status === 429);
    if (refused === undefined) throw new Error('none of 150 requests at once was refused');
    expectProblem(refused, 429, 'rate_limited');
    expect(refused.headers.get('retry-after')).to.equal('1');
    expect(refused.headers.get('ratelimit')).to.equal('"public";r=0;t=1');
  });

  it('spares liveness', async () => {
    const answers = await many(150, () => send(fixture.base, '/health'));
    expect(answers.every(({ status }) => status === 200)).to.equal(true);
    expect(answers[0]?.headers.has('ratelimit')).to.equal(false);
  });

  it('counts the addresses of one IPv6 subscriber as one', async () => {
    const bucket = createBucket('tiny', 1, 60);
    const taken = [];
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:3::1', '192.0.2.1', '192.0.2.2'])
      taken.push((await bucket.take(address)).allowed);
    expect(taken).to.deep.equal([true, false, true, true, true]);
  });

  it('refills after the window', async () => {
    const bucket = createBucket('tiny', 1, 0.01);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    // A stalled process may find its window over at once.
    while ((await bucket.take('192.0.2.1')).allowed) await turn();
    while (!(await bucket.take('192.0.2.1')).allowed) await turn();
  });

  it('never tells a caller to wait longer than the window, though the clock was set back', async () => {
    const bucket = createBucket('tiny', 1, 60);
    await bucket.take('192.0.2.1');
    const { allowed, reset_s, headers } = await atTime(Date.now() - 3_600_000, () => bucket.take('192.0.2.1'));
    expect({ allowed, reset_s }).to.deep.equal({ allowed: false, reset_s: 60 });
    expect(headers['RateLimit']).to.equal('"tiny";r=0;t=60');
  });

  it('holds its memory to a fixed number of slots, whoever calls', async () => {
    const bucket = createBucket('wide', 1, 60);
    let shared = 0;
    for (let i = 0; i < 140_000; i++) {
      const taken = await bucket.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
      if (!taken.allowed) shared += 1;
    }
    expect(140_000 - shared).to.be.at.most(65_536);
  });
});

describe('the pace of refusals', () => {
  it('answers eleven of a caller at once, then fifty a second, none later than a second', () => {
    const pace = createPace({ monotonic: () => 10_000 });
    const delays = Array.from({ length: 100 }, () => pace('loud'));
    expect(delays.filter((delay) => delay === 0)).to.have.length(11);
    expect(delays.slice(10, 14)).to.deep.equal([0, 20, 40, 60]);
    expect(Math.max(...delays)).to.equal(1000);
  });

  it('keeps a pace per caller, and forgets it with time', () => {
    let now = 10_000;
    const pace = createPace({ monotonic: () => now });
    for (let asked = 0; asked < 100; asked += 1) pace('loud');
    expect(pace('quiet')).to.equal(0);
    expect(pace('loud')).to.equal(1000);
    now = 12_000;
    expect(pace('loud')).to.equal(0);
  });

  it('remembers a bounded number of callers', () => {
    const slots = new Map<string, number>();
    const pace = createPace({ monotonic: () => 10_000 }, slots);
    for (let caller = 0; caller < 20_000; caller += 1) pace(`caller ${caller}`);
    expect(slots.size).to.equal(10_000);
  });
});
