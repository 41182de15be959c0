import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Connection } from '../../../../providers/mcp/wire/client.ts';
import { CallError } from '../../../../providers/mcp/wire/failure.ts';
import { UpstreamServer, type DialOptions, type ServerOptions } from '../../../../providers/mcp/wire/server.ts';
import { until } from '../../../helpers/until.ts';

describe('a server of tools and its connections', () => {
  const open = new Set<Connection>();
  let dialed: DialOptions[] = [];
  let server: UpstreamServer;
  let refusing = false;
  let tool = 'it';
  /** Sessions that the server no longer knows. */
  const lost = new Set<string>();

  const dial = async (options: DialOptions): Promise<Connection> => {
    dialed.push(options);
    if (refusing) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const connection: Connection = {
      server: { name: 'fake', version: '1' },
      protocol: '2025-11-25',
      session: `session-${dialed.length}`,
      list: () =>
        lost.has(String(connection.session))
          ? Promise.reject(new CallError({ kind: 'http', status: 404 }))
          : Promise.resolve([{ name: tool, inputSchema: { type: 'object' } }]),
      call: () => Promise.resolve({}),
      close: () => Promise.resolve(void open.delete(connection)),
    };
    open.add(connection);
    return Promise.resolve(connection);
  };
  const make = (more: Partial<ServerOptions> = {}): void => {
    const limits = { connectMs: 10_000, mostSessions: 2, maxRestartsPerMin: 3, longestDelayMs: 60_000 };
    server = new UpstreamServer({ dial, sharing: 'auto', tools: undefined, log: silentLog, ...limits, ...more });
  };
  const failure = (work: Promise<unknown>): Promise<ProviderError> =>
    work.then(
      () => expect.fail('no failure'),
      (error: unknown) => error as ProviderError,
    );
  beforeEach(() => {
    dialed = [];
    refusing = false;
    tool = 'it';
    lost.clear();
  });
  afterEach(async () => {
    await server.close();
    expect(open.size).to.equal(0);
  });

  it('are made once, whoever asks at the same time', async () => {
    make({ sharing: 'shared' });
    const held = await Promise.all(['a', 'b', 'c'].map((name) => server.hold(name)));
    expect(new Set(held.map(({ connection }) => connection)).size).to.equal(1);
    expect(dialed.length).to.equal(1);
  });

  it('keep the sessions that were used last, and those with a call under way', async () => {
    make();
    const sessionOf = async (name: string): Promise<string | undefined> => {
      const { connection, release } = await server.hold(name);
      release();
      return connection.session;
    };
    const [a, b, c] = [await sessionOf('a'), await sessionOf('b'), await sessionOf('c')];
    expect([a, b, c]).to.deep.equal(['session-1', 'session-2', 'session-3']);
    expect(await sessionOf('b')).to.equal(b);
    expect(await sessionOf('d')).to.equal('session-4');
    expect(await sessionOf('b')).to.equal(b);
    // The session of `c` was unused for longest.
    expect(await sessionOf('c')).to.equal('session-5');
    const busy = [await server.hold('e'), await server.hold('f')];
    expect(await failure(server.hold('g'))).to.include({ outcome: 'not_sent', phase: 'sessions' });
    for (const { release } of busy) release();
    expect(await sessionOf('g')).to.match(/session-/);
  });

  it('are made again when the server ended, until that happens too often in a minute', async () => {
    make({ longestDelayMs: 60_000, maxRestartsPerMin: 1 });
    await server.start();
    dialed[0]?.onClose();
    expect(await failure(server.hold('a'))).to.include({ outcome: 'not_sent', phase: 'connect' });
    await until(
      () => dialed.length,
      (count) => count === 2,
      'the second start',
    );
    expect((await server.hold('a')).connection.server.name).to.equal('fake');
    dialed[1]?.onClose();
    expect(await failure(server.hold('a'))).to.include({ outcome: 'not_sent' });
    // The rest of the minute is waited out: a call starts nothing either.
    expect(await failure(server.start())).to.include({ outcome: 'not_sent' });
    expect(dialed.length).to.equal(2);
    open.clear();
  });

  it('fail as not sent, with the code of the system alone', async () => {
    make();
    refusing = true;
    const error = await failure(server.start());
    expect(error).to.include({ outcome: 'not_sent', message: 'no connection to the server (ECONNREFUSED)' });
    expect(error).to.be.instanceOf(ProviderError);
  });

  it('tell their holders of each list', async () => {
    make();
    let told = 0;
    const forget = server.onListed(() => (told += 1));
    await server.start();
    await server.refresh();
    forget();
    await server.refresh();
    expect([told, server.definitions.get('it')?.tool]).to.deep.equal([2, 'it']);
  });

  for (const sharing of ['auto', 'per_principal', 'per_run', 'shared'] as const)
    it(`list the tools over a new one when the session of the first is lost (${sharing})`, async () => {
      make({ sharing });
      await server.start();
      lost.add('session-1');
      tool = 'other';
      await Promise.all([server.refresh(), server.refresh()]);
      expect([...server.definitions.keys()]).to.deep.equal(['other']);
      expect([dialed.length, open.size]).to.deep.equal([2, 1]);
    });

  it('are not made again at once when the new session is lost too', async () => {
    make();
    await server.start();
    lost.add('session-1').add('session-2');
    expect(await failure(server.refresh())).to.include({ outcome: 'not_sent' });
    expect(dialed.length).to.equal(2);
    // Nothing connects until the delay is over.
    expect(await failure(server.refresh())).to.include({ outcome: 'not_sent' });
    expect(dialed.length).to.equal(2);
  });
});
