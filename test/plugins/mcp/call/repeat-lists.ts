import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { mcpClient } from '../client.ts';
import { startRelay, type Relay } from './relay.ts';

type Result = Answer['body'];

/** One agent with a stock client. */
export interface Agent {
  call(tool: string, token: string): Promise<Result>;
  close(): Promise<void>;
}

const tools = ['press', 'type', 'look'] as const;
interface Way {
  readonly url: string;
  readonly key: string;
  readonly lose?: () => void;
  readonly passed?: Relay['passed'];
}

const publicly = 'https://orb.example';

/** Opens an agent at the address of an Orbiset, with a key. */
export type Connect = (url: URL, key: string) => Promise<Agent>;

/** Defines the three lists for stock clients: `label` names their kind. */
export function defineRepeatLists(label: string, stockClients: Readonly<Record<string, Connect>>): void {
  describe(`the repeat guard, counted at the far side: ${label}`, function () {
    this.timeout(120_000);
    let recorder: Recorder;
    const platforms: TestPlatform[] = [];
    const relays: Relay[] = [];
    /** How a call reaches the server: its address, and how the answer of the next call is lost. */
    let ways: Readonly<Record<string, Way>>;
    let open: TestPlatform;

    before(async () => {
      recorder = createRecorder();
      const start = async (
        platform: object = {},
        env: Readonly<Record<string, string>> = {},
      ): Promise<TestPlatform> => {
        const orbs = tools.map((name) => {
          const orb_id = `test.${name}@1.0.0`;
          // As the import writes it of a tool that its server calls read-only.
          const more = name === 'look' ? { repeat_guard: false } : {};
          return [`orbs/${orb_id}.json`, recordOrb({ orb_id, timeout_ms: 60_000, ...more })] as const;
        });
        const started = await startPlatform({
          platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } }, ...platform },
          data: {
            ...Object.fromEntries(orbs),
            'orbisets/open.json': { id: 'open', tenant: 'default', orbs: ['*'], repeat_guard: false },
          },
          adapters: [recorder.adapter],
          env,
        });
        platforms.push(started);
        return started;
      };
      const [direct, declared, tls] = [
        await start(),
        await start({ trust_proxy: ['127.0.0.1/32'] }),
        await start({}, { ORB_PUBLIC_URL: publicly }),
      ];
      open = direct;
      const by = async (kind: 'tunnel' | 'proxy' | 'silent proxy', { url, adminKey }: TestPlatform) => {
        const relay = await startRelay(kind, url);
        relays.push(relay);
        return { url: relay.url, key: adminKey, lose: () => relay.cutNext(20), passed: relay.passed };
      };
      ways = {
        direct: { url: direct.url, key: direct.adminKey },
        'a connection each': await by('tunnel', direct),
        'a declared pooling proxy': await by('silent proxy', declared),
        'an undeclared pooling proxy that names its clients': await by('proxy', direct),
        'an undeclared pooling proxy before HTTPS': await by('silent proxy', tls),
      };
    });
    after(async () => {
      for (const relay of relays) relay.close();
      for (const platform of platforms) await platform.stop();
    });

    const agentOf = (client: string, way: string, orbiset = 'default', key = ways[way]?.key): Promise<Agent> => {
      const connect = stockClients[client];
      if (connect === undefined) throw new Error(client);
      const url = new URL(`${String(ways[way]?.url)}/orbisets/${orbiset}/mcp`);
      return connect(url, String(key));
    };
    let last = 0;
    const fresh = (): string => `token-${(last += 1)}`;
    const arrived = (token: string): number => recorder.calls.filter((one) => one.token === token).length;
    const isReplayed = ({ structuredContent, isError, content }: Result): boolean => {
      expect(isError, JSON.stringify(content)).not.to.equal(true);
      return structuredContent?.replayed === true;
    };

    const cases = Object.keys(stockClients).flatMap((client) =>
      [
        'direct',
        ...['a connection each', 'a declared pooling proxy'],
        'an undeclared pooling proxy that names its clients',
      ]
        .concat('an undeclared pooling proxy before HTTPS')
        .map((way) => ({ client, way, title: `${client}, by ${way}` })),
    );

    describe('calls that must happen', () => {
      for (const { client, way, title } of cases)
        it(`all do, with other calls between them, and of tools without a guard: ${title}`, async () => {
          const [one, other] = [await agentOf(client, way), await agentOf(client, way)];
          try {
            const [key, text, state, shared] = [fresh(), fresh(), fresh(), fresh()];
            for (const [tool, token] of [
              ...(['press', 'type', 'press', 'type'] as const).map(
                (name) => [name, name === 'press' ? key : text] as const,
              ),
              ...(['look', 'look', 'look', 'look', 'look'] as const).map((name) => [name, state] as const),
            ])
              expect(isReplayed(await one.call(tool, token)), `${tool} ${token}`).to.equal(false);
            expect([arrived(key), arrived(text), arrived(state)]).to.deep.equal([2, 2, 5]);
            // A read of a tool that nothing calls read-only, after a write.
            for (const tool of ['press', 'type', 'press'] as const) await one.call(tool, shared);
            expect(arrived(shared)).to.equal(3);
            // Two agents with one principal, each at its own work.
            const [mine, yours] = [fresh(), fresh()];
            for (const agent of [one, other, one, other]) await agent.call('press', agent === one ? mine : yours);
            expect([arrived(mine), arrived(yours)]).to.deep.equal([2, 2]);
          } finally {
            await one.close();
            await other.close();
          }
        });

      for (const client of Object.keys(stockClients))
        for (const way of ['direct', 'a connection each'])
          it(`equal ones in a row do: ${client}, by ${way}`, async () => {
            const agent = await agentOf(client, way);
            const token = fresh();
            try {
              for (let times = 0; times < 5; times += 1) await agent.call('press', token);
              expect(arrived(token)).to.equal(5);
            } finally {
              await agent.close();
            }
          });
    });

    describe('calls that must not happen twice', () => {
      for (const { client, way, title } of cases.filter((one) => one.way !== 'direct'))
        it(`do not when the answer was lost: ${title}`, async () => {
          const agent = await agentOf(client, way);
          try {
            const lost = fresh();
            // What a client asks for on its own is then answered.
            await agent.call('look', fresh());
            ways[way]?.lose?.();
            expect(await agent.call('press', lost).catch(() => 'lost')).to.equal('lost');
            const again = await agent.call('press', lost);
            expect([arrived(lost), isReplayed(again)]).to.deep.equal([1, true]);
            expect(again.structuredContent.first_answered_at).to.equal(again.structuredContent.receipt.timestamp);
          } finally {
            await agent.close();
          }
        });

      for (const client of Object.keys(stockClients))
        it(`do not while the first is under way, whatever another agent of the principal does: ${client}`, async () => {
          const way = 'a connection each';
          const [one, other] = [await agentOf(client, way), await agentOf(client, way)];
          const waiting = fresh();
          const { promise: held, resolve: end } = Promise.withResolvers<void>();
          recorder.behaviour['a'] = { execute: (token) => (token === waiting ? held : undefined) };
          try {
            const calls = [one.call('press', waiting)];
            await until(
              () => arrived(waiting),
              (count) => count === 1,
            );
            await other.call('type', fresh());
            calls.push(one.call('press', waiting), other.call('press', waiting));
            await until(
              () => ways[way]?.passed?.(waiting),
              (count) => count === 3,
            );
            // Answered after the server has read the calls before it.
            await other.call('type', fresh());
            end();
            expect((await Promise.all(calls)).map(isReplayed).sort()).to.deep.equal([false, true, true]);
            expect(arrived(waiting)).to.equal(1);
          } finally {
            end();
            recorder.behaviour['a'] = undefined;
            await one.close();
            await other.close();
          }
        });

      it('do not behind an undeclared pooling proxy without a header that serves several principals', async () => {
        const relay = await startRelay('silent proxy', open.url);
        relays.push(relay);
        const others = await open.key({ name: 'another agent', scopes: ['orbs:execute'] });
        const as = (key: string) => mcpClient({ url: relay.url, adminKey: key });
        const press = (key: string, token: string) =>
          as(key).ask('tools/call', { name: 'test_press', arguments: { token } }, { headers: { connection: 'close' } });
        await press(others, fresh());
        const token = fresh();
        relay.cutNext(20);
        expect(await press(open.adminKey, token).catch(() => 'lost')).to.equal('lost');
        await press(others, fresh());
        expect(isReplayed((await press(open.adminKey, token)).body.result)).to.equal(true);
        expect(arrived(token)).to.equal(1);
      });
    });

    describe('calls that may or may not be meant', () => {
      for (const client of Object.keys(stockClients))
        for (const [orbiset, count] of [
          ['default', 1],
          ['open', 5],
        ] as const)
          it(`equal ones in a row behind a proxy: the switch decides (${orbiset}: ${count} of 5): ${client}`, async () => {
            const agent = await agentOf(client, 'a declared pooling proxy', orbiset);
            const token = fresh();
            try {
              for (let times = 0; times < 5; times += 1) await agent.call('press', token);
              expect(arrived(token)).to.equal(count);
            } finally {
              await agent.close();
            }
          });
    });
  });
}
