import { expect } from 'chai';
import { Agent, fetch as send } from 'undici';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';
import { startCutter, type Cutter } from '../../helpers/cutter.ts';
import { installClient, type Installed } from './built.ts';
import { faultsOf, kindsOf, type Call } from './judged.ts';
import { countedOrb } from './vendor.ts';

// Each request has a connection of its own, which is cut at the same byte.
const dispatcher = new Agent({ pipelining: 0 });
const fresh = ((input: string, init: object) => send(input, { ...init, dispatcher })) as unknown as typeof fetch;

// Every byte with CLIENT_CUTS=all; else some, and the last ones.
const step = process.env['CLIENT_CUTS'] === 'all' ? 1 : 181;

describe('the TypeScript client, when a connection is cut at every byte', function () {
  this.timeout(step === 1 ? 1_200_000 : 60_000);
  let installed: Installed;
  let platform: TestPlatform;
  let recorder: Recorder;
  let cutter: Cutter;
  before(async () => {
    recorder = createRecorder();
    installed = await installClient();
    platform = await startPlatform({
      platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } } },
      adapters: [recorder.adapter],
      data: { [`orbs/${countedOrb}.json`]: recordOrb() },
    });
    cutter = await startCutter(Number(new URL(platform.url).port));
  });
  after(async () => {
    await cutter?.close();
    await platform?.stop();
    installed?.remove();
  });

  for (const way of ['answer', 'request'] as const)
    it(`of the ${way}: one effect, and no false outcome`, async () => {
      const pin = (await (await fetch(`${platform.url}/.well-known/jwks.json`)).json()) as { keys: [] };
      const orb = (tries: number) =>
        new installed.client.Orb(cutter.url, platform.adminKey, { pin, tries, fetch: fresh });
      const calls: Call[] = [];
      cutter.at = undefined;
      cutter.passed[way] = 0;
      await orb(4).run(countedOrb, { token: 'whole' });
      const whole = cutter.passed[way];
      expect(whole).to.be.greaterThan(500);
      const places = Array.from({ length: Math.ceil(whole / step) }, (_, at) => at * step);
      for (const after of [...places, whole - 2, whole - 1]) {
        const token = `${way}-${after}`;
        cutter.at = { way, after };
        // Each connection is cut, so nothing gets through; then all is whole, and the same key is asked for.
        const first = await orb(1).run(countedOrb, { token }, { key: token, timeout: 4000 });
        calls.push({ token, outcome: first });
        cutter.at = undefined;
        calls.push({ token, outcome: await orb(4).run(countedOrb, { token }, { key: token }) });
      }
      const effects = new Map<string, number>();
      for (const { token } of recorder.calls) effects.set(token, (effects.get(token) ?? 0) + 1);
      const ends = calls.filter((_, at) => at % 2 === 1);
      expect(kindsOf(ends)).to.deep.equal({ completed: ends.length });
      // A first call that was cut behind its answer may lack the receipt alone.
      const firsts = calls.filter(
        ({ outcome }, at) => at % 2 === 0 && !(outcome.kind === 'unverified' && outcome.check === 'receipt'),
      );
      const known = firsts.filter(({ outcome }) => outcome.kind !== 'unreachable' && outcome.kind !== 'failed');
      expect(faultsOf([...known, ...ends], effects)).to.deep.equal([]);
      expect(
        firsts
          .filter(({ outcome }) => ['failed', 'rejected', 'denied'].includes(outcome.kind))
          .map(({ token, outcome }) => [token, outcome]),
      ).to.deep.equal([]);
      console.log(`      ${calls.length} calls: ${JSON.stringify(kindsOf(calls))}`);
    });
});
