import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';

/** The Orb of these tests: irreversible. */
export const orb = 'test.record@1.0.0';
/** The same without an effect. */
export const harmlessOrb = 'test.look@1.0.0';

/** A platform with the recorder behind two providers. */
export interface Queueing {
  readonly platform: TestPlatform;
  readonly recorder: Recorder;
  /** Asks for a run that the caller does not wait for. */
  ask(token: string, more?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Waits for the end of a run. */
  ended(runId: string, key?: string): Promise<Answer['body']>;
  /** The facts of the run's receipt. */
  facts(run: Answer['body']): Promise<Answer['body']>;
}

/** What the platform has beside that. */
export interface QueueingOptions extends Omit<PlatformOptions, 'platform'> {
  readonly orbiset?: object;
  /** Further members of platform.json. */
  readonly settings?: object;
  readonly recorder?: Recorder;
}

/** Starts a platform whose providers record what they get. */
export async function startQueueing({ orbiset, settings, ...options }: QueueingOptions = {}): Promise<Queueing> {
  const recorder = options.recorder ?? createRecorder();
  const provider = (name: string) => ({ adapter: 'record/local', config: { name } });
  const platform = await startPlatform({
    ...options,
    platform: { providers: { a: provider('a'), b: provider('b') }, bindings: { [orb]: ['a', 'b'] }, ...settings },
    data: {
      [`orbs/${orb}.json`]: recordOrb(),
      [`orbs/${harmlessOrb}.json`]: recordOrb({ orb_id: harmlessOrb, effect: 'none', action_class: 'read' }),
      ...(orbiset === undefined
        ? {}
        : { 'orbisets/line.json': { id: 'line', tenant: 'default', orbs: ['*'], ...orbiset } }),
      ...options.data,
    },
    adapters: [recorder.adapter],
  });
  const where = `/orbisets/${orbiset === undefined ? 'default' : 'line'}/execute`;
  return {
    platform,
    recorder,
    ask: (token, more = {}, headers = {}) =>
      send(platform, where, { orb_id: orb, inputs: { token }, mode: 'async', ...more }, headers),
    ended: (runId, key) =>
      until(
        async () => (await platform.call('GET', `/runs/${runId}?wait=5`, undefined, key ?? platform.adminKey)).body,
        ({ status }) => status !== 'queued' && status !== 'running',
        `the end of ${runId}`,
      ),
    facts: async ({ receipt_id }) =>
      (await platform.call('GET', `/receipts/${receipt_id}`)).body.statement.predicate.facts,
  };
}

/** Sends a body with headers of its own. */
export async function send(
  { url, adminKey }: Pick<TestPlatform, 'url' | 'adminKey'>,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
