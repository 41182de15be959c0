import { getEventListeners } from 'node:events';
import { mock } from 'node:test';
import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { createPool, type Pool } from '../../../../providers/email/smtp/pool.ts';
import type { Session } from '../../../../providers/email/smtp/session.ts';

interface Counted extends Session {
  sent: number;
  closed: boolean;
  goodbyes: number;
  cuts: number;
}

const signal = new AbortController().signal;

describe('email/smtp pool', () => {
  const opened: Counted[] = [];
  let pool: Pool | undefined;
  afterEach(async () => {
    await pool?.close();
    opened.length = 0;
  });

  const create = (max = 1): Pool => {
    const open = async (): Promise<Session> => {
      const session = counted();
      opened.push(session);
      return session;
    };
    pool = createPool({ open, max, idle_ms: 60_000 });
    return pool;
  };

  it('hands out a session again, but none that has closed meanwhile', async () => {
    const { take, give } = create();
    const first = await take(signal);
    give(first);
    expect(await take(signal)).to.equal(first);
    give(first);
    Object.assign(first, { closed: true });
    const second = await take(signal);
    expect(second).not.to.equal(first);
    give(second);
    expect(opened).to.have.length(2);
  });

  it('hands out a session to one at a time', async () => {
    const { take, give } = create(2);
    give(await take(signal));
    const both = [await take(signal), await take(signal)] as const;
    expect(both[0]).not.to.equal(both[1]);
    for (const session of both) give(session);
  });

  it('lets go of a session that is idle for long, never one in use, and hands out none that is leaving', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { take, give } = create();
      const first = (await take(signal)) as Counted;
      give(first);
      mock.timers.tick(59_999);
      expect(await take(signal)).to.equal(first);
      mock.timers.tick(60_000);
      expect(first.goodbyes).to.equal(0);
      // Its goodbye takes a while.
      first.quit = async () => void (first.goodbyes += 1);
      give(first);
      mock.timers.tick(60_000);
      expect(first.goodbyes).to.equal(1);
      const second = await take(signal);
      expect(second).not.to.equal(first);
      give(second);
    } finally {
      mock.timers.reset();
    }
  });

  it('hands out the session that was used last: the others may become idle', async () => {
    const { take, give } = create(2);
    const both = [await take(signal), await take(signal)] as const;
    for (const session of both) give(session);
    const again = await take(signal);
    expect(again).to.equal(both[1]);
    give(again);
  });

  it('says goodbye once to a session that is idle when it closes', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { take, give, close } = create();
      const session = (await take(signal)) as Counted;
      // Its goodbye takes a while.
      session.quit = async () => void (session.goodbyes += 1);
      give(session);
      await close();
      mock.timers.tick(60_000);
      expect(session.goodbyes).to.equal(1);
    } finally {
      mock.timers.reset();
    }
  });

  it('leaves nothing on the signal of one who was served', async () => {
    const { take, give } = create();
    const patient = new AbortController().signal;
    const first = await take(signal);
    const waiting = take(patient);
    give(first);
    give(await waiting);
    expect(getEventListeners(patient, 'abort')).to.deep.equal([]);
  });

  it('lets a session go after 100 messages', async () => {
    const { take, give } = create();
    for (let n = 0; n < 101; n += 1) {
      const session = await take(signal);
      Object.assign(session, { sent: session.sent + 1 });
      give(session);
    }
    expect(opened.map(({ sent, goodbyes }) => [sent, goodbyes])).to.deep.equal([
      [100, 1],
      [1, 0],
    ]);
  });

  it('gives the place back when a session cannot be opened', async () => {
    let works = false;
    const open = async (): Promise<Session> => {
      if (works) return counted();
      throw new ProviderError('not_sent', 'no');
    };
    const { take, give } = (pool = createPool({ open, max: 1, idle_ms: 60_000 }));
    const error: unknown = await take(signal).catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(ProviderError);
    works = true;
    give(await take(signal));
  });

  it('serves those who wait in their order, and skips those who gave up', async () => {
    const { take, give } = create();
    const served: string[] = [];
    const session = await take(signal);
    const gone = new AbortController();
    const wait = async (name: string, until = signal): Promise<void> => {
      const mine = await take(until);
      served.push(name);
      give(mine);
    };
    const waiting = [wait('a'), wait('b', gone.signal), wait('c')];
    gone.abort();
    give(session);
    const results = await Promise.allSettled(waiting);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(served).to.deep.equal(['a', 'c']);
  });

  it('ends idle sessions with a goodbye and busy ones at once when it closes', async () => {
    const { take, give, close } = create(2);
    const [idle, busy] = [await take(signal), await take(signal)] as [Counted, Counted];
    give(idle);
    await close();
    expect([idle.goodbyes, idle.cuts, busy.goodbyes, busy.cuts]).to.deep.equal([1, 0, 0, 1]);
    give(busy);
  });

  it('keeps no session that was being opened while it closed', async () => {
    const { promise: opening, resolve: open } = Promise.withResolvers<Session>();
    const { take, give, close } = (pool = createPool({ open: () => opening, max: 1, idle_ms: 60_000 }));
    const taking = take(signal);
    await close();
    const late = counted();
    open(late);
    give(await taking);
    expect(late.goodbyes).to.equal(1);
  });

  it('opens nothing for a call whose deadline has passed', async () => {
    const error: unknown = await create()
      .take(AbortSignal.abort())
      .catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(ProviderError).and.include({ outcome: 'not_sent', phase: 'pool' });
    expect(opened).to.have.length(0);
  });
});

function counted(): Counted {
  return {
    sent: 0,
    closed: false,
    goodbyes: 0,
    cuts: 0,
    send: async () => ({ server_message_id: undefined, refused: 0 }),
    async quit() {
      this.goodbyes += 1;
      this.closed = true;
    },
    destroy() {
      this.cuts += 1;
      this.closed = true;
    },
  };
}
