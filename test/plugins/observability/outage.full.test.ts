import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { ProviderError } from '../../../kernel/adapter.ts';
import { beside } from '../../helpers/beside.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';
import { until } from '../../helpers/until.ts';
import { lateClock } from '../ingestion/home.ts';

const orb = 'test.record@1.0.0';
const unreachable = (): never => {
  throw new ProviderError('not_sent', 'connection refused', { phase: 'connect' });
};

/** A platform whose only provider, or one of two, cannot be reached. */
interface Outage {
  readonly clock: ReturnType<typeof lateClock>;
  readonly recorder: Recorder;
  readonly platform: TestPlatform;
  status(): Promise<Answer['body']>;
  /** Lets time go on until the status fits: a look falls between two answers, for they come once a second. */
  after(stepMs: number, fits: (body: Answer['body']) => boolean): Promise<Answer['body']>;
  run(token?: unknown): Promise<Answer>;
}

type Start = (more?: object, options?: PlatformOptions) => Promise<Outage>;

describe('an outage of the runtime', function () {
  this.timeout(120_000);

  async function start(more: object = {}, options: PlatformOptions = {}): Promise<Outage> {
    const clock = lateClock();
    const recorder = createRecorder();
    const providers = { a: { adapter: 'record/local', config: { name: 'a' } }, ...more };
    const adapters = [recorder.adapter];
    const data = { [`orbs/${orb}.json`]: recordOrb() };
    recorder.behaviour['a'] = { probe: unreachable, execute: unreachable };
    const platform = await startPlatform({ platform: { providers }, data, adapters, clock, ...options });
    const status = async (): Promise<Answer['body']> => (await platform.call('GET', '/status', undefined, null)).body;
    return {
      ...{ clock, recorder, platform, status },
      after: (stepMs, fits) => until(() => (clock.ahead(stepMs), status()), fits, 'the status', 1100),
      run: (token = 'x') => platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token } }),
    };
  }
  async function play(test: (start: Start) => Promise<void>): Promise<void> {
    let started: Outage | undefined;
    try {
      await test(async (...given) => (started = await start(...given)));
    } finally {
      await started?.platform.stop();
    }
  }

  const tests: readonly (readonly [title: string, test: (start: Start) => Promise<void>])[] = [
    [
      'is told without a run when an Orb has no provider that answers, and ends by itself; both are attested',
      async (start) => {
        const { recorder, platform, status, after } = await start({ echo: { adapter: 'echo/local', config: {} } });
        expect((await status()).status).to.equal('operational');
        const bad = await after(15_000, (body) => body.incidents.length > 0);
        expect([bad.status, bad.services.runtime]).to.deep.equal(['partial_outage', 'partial_outage']);
        expect(bad.incidents[0].title).to.equal('Runtime: partial outage');
        const { id } = bad.incidents[0];
        const shown = async (): Promise<Answer['body']> => (await platform.call('GET', `/incidents/${id}`)).body;
        const incident = await shown();
        expect(incident).to.include({ kind: 'measured', state: 'open', severity: 'high' });
        expect(incident.scope).to.deep.equal([{ kind: 'component', id: 'runtime' }]);
        recorder.behaviour['a'] = {};
        await after(30_000, (body) => body.incidents.length === 0);
        const over = await shown();
        expect(over.state).to.equal('resolved');
        const receipt = over.changes.at(-1).receipt_id;
        const { body } = await platform.call('GET', `/receipts/${receipt}`);
        expect([body.signature_valid, body.statement.predicate.facts.state]).to.deep.equal([true, 'resolved']);
        expect((await status()).status).to.equal('operational');
      },
    ],
    [
      'is a major one when no Orb at all can be served',
      async (start) => {
        const { after } = await start();
        const bad = await after(15_000, (body) => body.status === 'major_outage');
        expect(bad.incidents.map(({ title }: Answer['body']) => title)).to.deep.equal(['Runtime: major outage']);
      },
    ],
    [
      'is told by runs where the provider answers its probe; what callers cause never is',
      async (start) => {
        const { clock, recorder, status, after, run } = await start({ echo: { adapter: 'echo/local', config: {} } });
        recorder.behaviour['a'] = {
          execute: () => {
            throw new ProviderError('rejected', 'no such recipient');
          },
        };
        for (let second = 0; second < 100; second += 10) {
          expect((await run()).status).to.equal(422);
          clock.ahead(10_000);
        }
        expect((await after(1000, () => true)).incidents).to.deep.equal([]);
        recorder.behaviour['a'] = {
          execute: () => {
            throw new ProviderError('provider_fault', 'the account is suspended');
          },
        };
        const bad = await until(
          async () => {
            await run();
            clock.ahead(10_000);
            return status();
          },
          ({ incidents }) => incidents.length > 0,
          'the incident',
          1100,
        );
        expect(bad.services.runtime).to.equal('partial_outage');
      },
    ],
    [
      'is told of policies that can allow no run, and not of runs that one denies',
      async (start) => {
        const home = mkdtempSync(join(tmpdir(), 'orb-outage-'));
        mkdirSync(join(home, 'policies'));
        const { recorder, platform, after, run } = await start({}, { home });
        recorder.behaviour['a'] = {};
        expect((await run()).status).to.equal(403);
        const bad = await after(15_000, (body) => body.status === 'major_outage');
        expect(bad.incidents).to.have.length(1);
        cpSync(join(packageDir, 'policies'), join(home, 'policies'), { recursive: true });
        await until(run, ({ status: code }) => code === 200);
        await after(30_000, (body) => body.incidents.length === 0);
        // A key without the scope of the Orb: denied by a policy that could allow.
        const narrow = await platform.key({ scopes: ['orbs:execute:other.*'] });
        const denied = await platform.call(
          'POST',
          '/orbisets/default/execute',
          { orb_id: orb, inputs: { token: 'x' } },
          narrow,
        );
        expect(denied.status).to.equal(403);
        expect((await after(61_000, () => true)).incidents).to.deep.equal([]);
        expect(readdirSync(join(home, 'policies'))).not.to.have.length(0);
        rmSync(home, { recursive: true, force: true });
      },
    ],
  ];
  const inTurn = beside(tests, ([, test]) => play(test));
  for (const row of tests) it(row[0], () => inTurn(row));
});
