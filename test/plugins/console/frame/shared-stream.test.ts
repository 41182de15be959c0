import { expect } from 'chai';
import { partOf } from '../../../../plugins/console/app/frame/event-stream.ts';
import { streamTimes } from '../../../../plugins/console/app/frame/shared-stream.ts';
import { FakeBrowser, type FakeWindow } from './windows.ts';

const soon = 3 * streamTimes.settle;

describe('the stream of events that windows share', () => {
  let browser: FakeBrowser;
  beforeEach(() => {
    browser = new FakeBrowser();
  });

  const openTwo = async (...types: readonly string[]): Promise<readonly [FakeWindow, FakeWindow]> => {
    const windows = [browser.open(), browser.open()] as const;
    for (const window of windows) {
      window.follow(...types);
      await browser.pass(soon);
    }
    return windows;
  };
  const leaderOf = (): FakeWindow => [...browser.streams][0]?.window ?? expect.fail('no stream is open');

  it('is one, of the types that any window follows, and tells each window its own', async () => {
    const [runs, keys] = [browser.open(), browser.open()];
    runs.follow('run.completed');
    await browser.pass(soon);
    expect(runs).to.include({ state: 'live', opened: 1 });
    keys.follow('key.created');
    await browser.pass(soon);
    expect(keys).to.include({ state: 'live', opened: 1 });
    expect([...browser.streams].map(({ start }) => start.path)).to.deep.equal([
      '/events?types=key.created,run.completed',
    ]);
    for (const type of ['run.completed', 'key.created', 'swap.failed', 'run.completed']) browser.happen(type);
    await browser.pass(soon);
    expect(runs).to.deep.include({ events: ['e1', 'e4'], opened: 1 });
    expect(keys).to.deep.include({ events: ['e2'], opened: 1 });
  });

  it('tells a window that follows everything each event, and the others their own', async () => {
    const [runs, all] = [browser.open(), browser.open()];
    runs.follow('run.completed');
    all.follow('*');
    await browser.pass(2 * soon);
    expect([...browser.streams].map(({ start }) => start.path)).to.deep.equal(['/events?types=*,run.completed']);
    for (const type of ['run.completed', 'key.created', 'swap.failed']) browser.happen(type);
    await browser.pass(soon);
    expect(all).to.deep.include({ events: ['e1', 'e2', 'e3'], opened: 1, state: 'live' });
    expect(runs).to.deep.include({ events: ['e1'] });
  });

  it('is opened again, from where it was, with the types that are still followed', async () => {
    const [one] = await openTwo('run.completed');
    const stop = one.follow('key.created');
    await browser.pass(soon);
    stop();
    browser.happen('run.completed');
    await browser.pass(soon);
    expect([...browser.streams].map(({ start }) => start.path)).to.deep.equal(['/events?types=run.completed']);
    browser.happen('run.completed');
    await browser.pass(soon);
    // The second follower was told to read what it shows.
    expect(one).to.deep.include({ events: ['e1', 'e2'], opened: 2 });
  });

  it('is never asked for without types: all followers may leave while it is about to be opened again', async () => {
    const window = browser.open();
    const stops = [window.follow('run.completed')];
    await browser.pass(soon);
    stops.push(window.follow('key.created'));
    await browser.pass(1.2 * streamTimes.settle);
    for (const stop of stops) stop();
    await browser.pass(0.9 * streamTimes.settle);
    expect([...browser.streams].map(({ start }) => start.path)).to.deep.equal(['/events?types=run.completed']);
    await browser.pass(soon);
    expect(browser.streams.size).to.equal(0);
  });

  for (const [how, leave] of [
    ['closes', (window: FakeWindow) => window.crash()],
    ['is hidden', (window: FakeWindow) => window.stream.setAway(true)],
  ] as const)
    it(`is taken over when the window that has it ${how}: no event is lost or told twice`, async () => {
      const windows = await openTwo('run.completed');
      const first = leaderOf();
      const other = windows.find((window) => window !== first) ?? first;
      browser.happen('run.completed');
      leave(first);
      browser.happen('run.completed');
      await browser.pass(soon);
      browser.happen('run.completed');
      await browser.pass(soon);
      expect(leaderOf()).to.equal(other);
      expect(other).to.deep.include({ events: ['e1', 'e2', 'e3'], opened: 1, state: 'live' });
      first.stream.setAway(false);
      await browser.pass(soon);
      expect(browser.streams.size).to.equal(1);
    });

  it('is followed again by a window that is seen again, which reads what it shows', async () => {
    const [one, two] = await openTwo('run.completed');
    for (const window of [one, two]) window.stream.setAway(true);
    await browser.pass(soon);
    expect(browser.streams.size).to.equal(0);
    browser.happen('run.completed');
    one.stream.setAway(false);
    await browser.pass(soon);
    expect(one).to.deep.include({ events: [], opened: 2 });
  });

  it('is taken from a window that is stuck; once it is not, it follows', async () => {
    const windows = await openTwo('run.completed');
    const first = leaderOf();
    const other = windows.find((window) => window !== first) ?? first;
    first.stuck = true;
    browser.happen('run.completed');
    await browser.pass(streamTimes.quiet + soon);
    expect(other.events).to.deep.equal(['e1']);
    first.stuck = false;
    await browser.pass(streamTimes.beat);
    browser.happen('run.completed');
    await browser.pass(soon);
    expect(browser.streams.size).to.equal(1);
    expect(other.events).to.deep.equal(['e1', 'e2']);
    expect(first.events.at(-1)).to.equal('e2');
  });

  it('forgets what a window followed that is no more', async () => {
    const [one, two] = [browser.open(), browser.open()];
    one.follow('run.completed');
    await browser.pass(soon);
    two.follow('key.created');
    await browser.pass(soon);
    two.crash();
    await browser.pass(3 * streamTimes.beat + soon);
    expect([...browser.streams].map(({ start }) => start.path)).to.deep.equal(['/events?types=run.completed']);
  });

  it('tells all windows when it broke, and to read again once it is back', async () => {
    const windows = await openTwo('run.completed');
    browser.down = true;
    browser.drop();
    await browser.pass(soon);
    expect(windows.map(({ state }) => state)).to.deep.equal(['waiting', 'waiting']);
    browser.happen('run.completed');
    browser.down = false;
    await browser.pass(streamTimes.retry + soon);
    for (const window of windows) expect(window).to.deep.include({ state: 'live', opened: 2, events: ['e1'] });
  });

  it('is opened again when it says nothing for long', async () => {
    const [one] = await openTwo('run.completed');
    const [silent] = browser.streams;
    await browser.pass(streamTimes.quiet + streamTimes.retry + soon);
    expect(browser.streams.has(silent ?? expect.fail('no stream'))).to.equal(false);
    expect(one.state).to.equal('live');
  });

  it('tells nothing of another caller, whose session the browser has now', async () => {
    const [one, two] = await openTwo('run.completed');
    browser.keyId = 'key_b';
    browser.drop();
    await browser.pass(streamTimes.retry + soon);
    browser.happen('run.completed');
    await browser.pass(soon);
    expect(browser.others).to.be.greaterThan(0);
    expect([one.events, two.events]).to.deep.equal([[], []]);
  });

  it('is one of each window in a browser without locks', async () => {
    const windows = [browser.open('key_a', { alone: true }), browser.open('key_a', { alone: true })];
    for (const window of windows) window.follow('run.completed');
    await browser.pass(soon);
    browser.happen('run.completed');
    expect(browser.streams.size).to.equal(2);
    expect(windows.map(({ events }) => events)).to.deep.equal([['e1'], ['e1']]);
  });

  it('reads ids, events and gaps, and takes a comment for a sign of life', () => {
    const event = { id: 'rec_1', type: 'run.completed', timestamp: 't', data: {} };
    expect(partOf('retry: 1000\nid: abc')).to.deep.equal({ id: 'abc' });
    expect(partOf(': still here')).to.deep.equal({});
    expect(partOf('event: gap\nid: abc\ndata: {"code":"events_gone"}')).to.deep.equal({ id: 'abc', gap: true });
    const text = `event: run.completed\nid: abc\ndata: ${JSON.stringify(event)}`;
    expect(partOf(text)).to.deep.equal({ id: 'abc', event });
  });
});
