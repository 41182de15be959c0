import { expect } from 'chai';
import { startCutter, type Cutter } from '../../../helpers/cutter.ts';
import { need } from '../../../helpers/needs.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { faultsOf, kindsOf, type Call } from '../judged.ts';
import { countedOrb } from '../vendor.ts';
import { installWheel, startCaller, type InstalledWheel, type PythonCaller } from './installed.ts';

// Every byte with CLIENT_CUTS=all; else some, and the last ones.
const step = process.env['CLIENT_CUTS'] === 'all' ? 1 : 401;

const keysOf = async (url: string) => (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as object;

describe('the Python client, when things break', function () {
  this.timeout(step === 1 ? 3_600_000 : 90_000);
  let installed: InstalledWheel;
  before(async function () {
    need(this, 'python');
    installed = await installWheel();
  });
  after(() => installed?.remove());

  describe('a connection that is cut', () => {
    let platform: TestPlatform;
    let recorder: Recorder;
    let cutter: Cutter;
    let caller: PythonCaller;
    let pin: object;
    before(async () => {
      recorder = createRecorder();
      platform = await startPlatform({
        platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } } },
        adapters: [recorder.adapter],
        data: { [`orbs/${countedOrb}.json`]: recordOrb() },
      });
      cutter = await startCutter(Number(new URL(platform.url).port));
      pin = await keysOf(platform.url);
      // Each request has a connection of its own, which is cut at the same byte.
      caller = startCaller(installed, cutter.url, platform.adminKey, pin, { fresh: true });
    });
    after(async () => {
      await caller?.stop();
      await cutter?.close();
      await platform?.stop();
    });

    for (const way of ['answer', 'request'] as const)
      it(`in the ${way}: one effect, and no false outcome`, async () => {
        cutter.at = undefined;
        cutter.passed[way] = 0;
        await caller.run(countedOrb, { token: 'whole' }, { key: `whole-${way}` });
        const whole = cutter.passed[way];
        expect(whole).to.be.greaterThan(500);
        const places = Array.from({ length: Math.ceil(whole / step) }, (_, at) => at * step);
        const firsts: Call[] = [];
        const ends: Call[] = [];
        let longest = 0;
        for (const after of [...places, whole - 2, whole - 1]) {
          const token = `${way}-${after}`;
          cutter.at = { way, after };
          const begun = performance.now();
          firsts.push({
            token,
            outcome: await caller.run(countedOrb, { token }, { key: token, tries: 1, timeout: 4 }),
          });
          longest = Math.max(longest, performance.now() - begun);
          cutter.at = undefined;
          ends.push({ token, outcome: await caller.run(countedOrb, { token }, { key: token }) });
        }
        const effects = new Map<string, number>();
        for (const { token } of recorder.calls) effects.set(token, (effects.get(token) ?? 0) + 1);
        expect(kindsOf(ends)).to.deep.equal({ completed: ends.length });
        // Nothing says that it was not done, since it was done later; a cut receipt is no proof.
        const doubtful = new Set(['unknown', 'unreachable', 'completed']);
        const others = firsts.filter(
          ({ outcome }) =>
            !doubtful.has(outcome.kind) && !(outcome.kind === 'unverified' && outcome.check === 'receipt'),
        );
        expect(others).to.deep.equal([]);
        expect(faultsOf(ends, effects)).to.deep.equal([]);
        const kinds = JSON.stringify(kindsOf(firsts));
        console.log(`      ${firsts.length} cuts: ${kinds}; the longest took ${Math.round(longest)} of 4000 ms`);
      });
  });
});
