import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';

/** A callback as the list shows it. */
export interface Callback {
  readonly callback_id: string;
  readonly run_id: string;
  readonly type: string;
  readonly state: string;
  readonly tries: number;
  readonly next_at?: string;
  readonly status?: number;
  readonly failure?: string;
}

/** A subscription as it was made. */
export interface Made {
  readonly subscription: { readonly subscription_id: string; readonly state: string };
  readonly secret: string;
}

/** A platform whose clock can be moved, with receivers of callbacks on loopback. */
export interface Bed {
  readonly platform: TestPlatform;
  readonly recorder: Recorder;
  readonly log: string[];
  /** Moves the clock forward, ms. */
  advance(ms: number): void;
  /** Starts a receiver that answers 204. */
  receiver(options?: { readonly tls?: boolean }): Promise<VendorServer>;
  subscribe(url: string, more?: object, orbiset?: string): Promise<Made>;
  run(token: string, orbiset?: string): Promise<Answer>;
  callbacks(made: Made): Promise<readonly Callback[]>;
  show(made: Made): Promise<Readonly<Record<string, unknown>>>;
  /** Starts the platform again in its folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Hosts that are reached although they are private; `other.test` stays out. */
const hosts = ['127.0.0.1', 'localhost'];

/** Starts the bed. `ports` of receivers are exempt once they have started: give them before the platform starts. */
export async function startBed(settings: object = {}): Promise<Bed> {
  const recorder = createRecorder();
  const log: string[] = [];
  const receivers: VendorServer[] = [];
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
  // Receivers take the ports of a range that is exempt as a whole.
  const spare = await Promise.all(Array.from({ length: 12 }, () => startVendor(() => ({ status: 204 }))));
  const secure = await startVendor(() => ({ status: 204 }), { tls: true });
  receivers.push(...spare, secure);
  const private_hosts = receivers.flatMap(({ url }) =>
    hosts.map((host) => ({ host, port: Number(new URL(url).port) })),
  );
  const start = async (home?: string): Promise<TestPlatform> =>
    startPlatform({
      ...(home === undefined
        ? {
            platform: {
              providers: { a: { adapter: 'record/local', config: { name: 'a' } } },
              plugins: { subscriptions: { config: { private_hosts, ...settings } } },
            },
            data: {
              'orbs/test.record@1.0.0.json': recordOrb(),
              'orbisets/moving.json': { id: 'moving', tenant: 'default', orbs: ['*'] },
              'orbisets/keeping.json': {
                ...{ id: 'keeping', tenant: 'default', orbs: ['*'] },
                retention_days: { outputs: 1 },
              },
            },
          }
        : { home }),
      adapters: [recorder.adapter],
      clock,
      onLog: (line) => void log.push(line),
    });
  let platform = await start();
  let given = 0;
  const call = async (method: string, path: string, body?: unknown): Promise<Answer['body']> => {
    const answer = await platform.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const idOf = ({ subscription }: Made): string => subscription.subscription_id;
  return {
    get platform() {
      return platform;
    },
    ...{ recorder, log },
    advance: (ms) => void (ahead += ms),
    async receiver({ tls = false } = {}) {
      const found = tls ? secure : spare[given++];
      if (found === undefined) throw new Error('no receiver is left');
      return found;
    },
    subscribe: async (url, more = {}, orbiset = 'default') =>
      (await call('POST', `/orbisets/${orbiset}/subscriptions`, { url, types: ['run.*'], ...more })) as Made,
    run: (token, orbiset = 'default') =>
      platform.call('POST', `/orbisets/${orbiset}/execute`, { orb_id: 'test.record@1.0.0', inputs: { token } }),
    callbacks: async (made) => (await call('GET', `/subscriptions/${idOf(made)}/callbacks`)).callbacks as Callback[],
    show: async (made) => (await call('GET', `/subscriptions/${idOf(made)}`)) as Record<string, unknown>,
    async restart() {
      const { home } = platform;
      await platform.stop({ keep: true });
      platform = await start(home);
    },
    async stop() {
      await platform.stop();
      await Promise.all(receivers.map((one) => one.close()));
    },
  };
}
