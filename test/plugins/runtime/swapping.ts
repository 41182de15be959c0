import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';
import { until } from '../../helpers/until.ts';

/** The Orb whose provider is swapped. */
export const orb = 'test.record@1.0.0';

/** Where its providers are. */
export const path = `/providers/${orb}`;

/** A platform that runs the Orb by recorders `a`, with `b` standing by; what it answers is of the process that runs now. */
export interface Swapping {
  readonly platform: TestPlatform;
  readonly recorder: Recorder;
  /** The file that the provider `sealed` has its secret in. */
  readonly secretFile: string;
  run(token: string): Promise<Answer>;
  swap(provider: string, headers?: Record<string, string>): Promise<Answer>;
  post(to: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  status(): Promise<Answer['body']>;
  /** Waits until a swap is completed. */
  completed(swapId: string): Promise<Answer['body']>;
  /** Stops it and starts it in the same home, with settings of `platform.json`. */
  restart(settings?: object): Promise<void>;
}

/** The providers as the configuration has them. */
export const providersOf = (more: object = {}) => ({
  a: { adapter: 'record/local', config: { name: 'a' } },
  b: { adapter: 'record/local', config: { name: 'b' } },
  c: { adapter: 'record/local', config: { name: 'c' } },
  sealed: { adapter: 'record/local', config: { name: 'sealed', secret: { $file: 'secret.txt' } } },
  outbox: { adapter: 'email/outbox' },
  ...more,
});

/** Starts it before each test of the describe it is called in. */
export function swapping(): Swapping {
  let recorder: Recorder;
  let platform: TestPlatform;
  let secretFile: string;

  async function start(options: Partial<PlatformOptions>, settings: object = {}): Promise<void> {
    recorder = createRecorder();
    platform = await startPlatform({
      platform: { providers: providersOf(), bindings: { [orb]: ['a', 'b'] }, ...settings },
      data: { [`orbs/${orb}.json`]: recordOrb(), 'secret.txt': {} },
      adapters: [recorder.adapter],
      ...options,
    });
  }
  beforeEach(async () => {
    // The referenced file must be there when the platform is loaded.
    const home = mkdtempSync(join(tmpdir(), 'orb-swap-'));
    mkdirSync(join(home, 'data'), { recursive: true });
    secretFile = join(home, 'secret.txt');
    writeFileSync(secretFile, 'hidden');
    await start({ home });
  });
  afterEach(() => platform.stop());

  const post: Swapping['post'] = async (to, body, headers = {}) => {
    const response = await fetch(platform.url + to, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${platform.adminKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    get platform() {
      return platform;
    },
    get recorder() {
      return recorder;
    },
    get secretFile() {
      return secretFile;
    },
    run: (token) => platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token } }),
    swap: (provider, headers) => post(`${path}/swap`, { provider }, headers),
    post,
    status: async () => (await platform.call('GET', `${path}/status`)).body,
    completed: (swapId) =>
      until(
        async () => (await platform.call('GET', `/swaps/${swapId}`)).body,
        ({ state }) => state === 'completed',
        swapId,
      ),
    async restart(settings) {
      const { home } = platform;
      await platform.stop({ keep: true });
      await start({ home }, settings);
    },
  };
}
