import { expect } from 'chai';
import { defineCapability, defineProvider } from '../../../kernel/adapter.ts';
import type { Route } from '../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { manifestOf } from './orbs.ts';

const adapter = defineProvider({
  name: 'wire',
  capability: defineCapability({ name: 'parrot', title: 'Says it again' }),
  config: { type: 'object', additionalProperties: false, properties: {} },
  open: () => ({ execute: ({ text }) => Promise.resolve({ text }) }),
});

const dayMs = 86_400_000;
const begun = Date.UTC(2026, 10, 20, 13, 37, 11, 123);
const orbId = 'demo.parrot@1.0.0';
const callers = ['zebra-caller', 'yak-caller'];
const options = {
  adapters: [adapter],
  platform: { providers: { 'quokka-main': { adapter: 'parrot/wire' } } },
  data: { [`orbs/${orbId}.json`]: manifestOf(orbId, { capability: 'parrot' }) },
};

// What everybody may read about an Orb, by any route there is or will be.
describe('what everybody may read of the marketplace and of reputation', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  let secrets: readonly string[];
  let now = begun;
  const start = (home?: string): Promise<TestPlatform> =>
    startPlatform({
      ...options,
      clock: { now: () => now, monotonic: () => performance.now() },
      ...(home === undefined ? {} : { home }),
    });

  before(async () => {
    platform = await start();
    const keys = [];
    for (const name of callers)
      keys.push((await platform.call('POST', '/keys', { scopes: ['orbs:execute'], name })).body);
    expect((await platform.call('POST', '/marketplace/orbs/publish', { orb_id: orbId })).status).to.equal(201);
    for (const { key } of keys)
      for (let run = 0; run < 20; run++) {
        now += 1009;
        const body = { orb_id: orbId, inputs: { text: 'x' } };
        expect((await platform.call('POST', '/orbisets/default/execute', body, String(key))).status).to.equal(200);
      }
    await platform.call('POST', `/reputation/${orbId}/suspend`, { reason: 'a word of the operator' });
    await platform.call('POST', `/reputation/${orbId}/reinstate`, { reason: 'another word' });
    await platform.stop({ keep: true });
    now = begun + dayMs;
    platform = await start(platform.home);
    await snapshot();
    const { body } = await platform.call('GET', '/keys?limit=100');
    const known = body.keys.flatMap(({ key_id, principal }: Record<string, string>) => [key_id, principal]);
    secrets = [...known, 'quokka-main', 'parrot/wire', ...callers, ...(await callerRefs())];
  });
  after(() => platform.stop());

  const snapshot = () =>
    until(
      async () => (await platform.call('GET', `/marketplace/orbs/${orbId}`)).body,
      ({ reputation_score: score }) => score !== null,
      'a snapshot',
    );

  async function callerRefs(): Promise<readonly string[]> {
    const { body } = await platform.call('GET', `/reputation/${orbId}/evidence?by=caller&day=2026-11-20`);
    const found = [...JSON.stringify(body).matchAll(/"([0-9a-f]{64})"/g)].map(([, ref = '']) => ref);
    expect(new Set(found).size).to.equal(2);
    return [...new Set(found)];
  }

  const isOurs = ({ public: open, method, path }: Route): boolean =>
    open === true && method === 'GET' && /^\/(marketplace|reputation)(\/|$)/.test(path);
  const title = (text: string): string => text.slice(0, 300);

  it('names no caller, principal, key or provider, and no time finer than a day', async () => {
    const paths = platform.kernel.routes
      .filter(isOurs)
      .map(({ path }) => path.replace('{orb_id}', encodeURIComponent(orbId)));
    expect(paths).to.include.members(['/marketplace', '/marketplace/orbs/public', '/marketplace/demo.parrot%401.0.0']);
    expect(paths.length).to.be.greaterThan(8);
    const more = paths.flatMap((path) =>
      path.endsWith('/evidence') ? [`${path}?day=2026-11-20`] : path.endsWith('%401.0.0') ? [`${path}?verify=1`] : [],
    );
    let held = 0;
    for (const path of [...paths, ...more]) {
      const { status, body } = await platform.call(
        'GET',
        path.replace(/(reputation.*)\?verify=1/, '$1'),
        undefined,
        null,
      );
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      if (status === 200) held += 1;
      for (const secret of secrets)
        expect(text.includes(secret), `${path} names ${secret}: ${title(text)}`).to.equal(false);
      expect(text, path).not.to.match(/caller_ref|\b(rec|run|prn|key|swp|dec)_[0-9A-HJKMNP-TV-Z]{26}/);
      // Midnight is a day.
      const times = [...text.matchAll(/(?<!\d)\d\d:\d\d(:\d\d)?(\.\d+)?/g)].filter(
        ([time]) => !/^00:00(:00(\.0+)?)?$/.test(time),
      );
      expect(
        times.map(([time]) => time),
        path,
      ).to.deep.equal([]);
    }
    // Nothing is proven by answers that hold nothing.
    expect(held).to.be.greaterThan(7);
  });

  it('is more for those who may know it', async () => {
    const { body } = await platform.call('GET', `/marketplace/orbs/${orbId}`);
    expect(body.published_at).to.match(/^2026-11-20T13:37/);
    expect(body.usage.callers_30d).to.equal(2);
  });
});
