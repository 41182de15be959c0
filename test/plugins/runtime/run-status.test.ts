import { expect } from 'chai';
import { definePlugin } from '../../../kernel/index.ts';
import { ProviderError, rejectedReasons } from '../../../kernel/adapter.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';

const orb = 'test.record@1.0.0';

describe('the problem of a run that did not complete', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  let allow: boolean;
  beforeEach(async () => {
    recorder = createRecorder();
    allow = true;
    const decider = definePlugin({
      name: 'decider',
      start: ({ hooks }) => {
        hooks.authorize.tap('decider', () => ({ allow, policies: [], reasons: [], warns: 0, shadow_denies: 0 }));
        return {};
      },
    });
    platform = await startPlatform({
      platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } }, authorize: 'decider' },
      data: { [`orbs/${orb}.json`]: recordOrb(), 'orbs/test.reads@1.0.0.json': reads },
      adapters: [recorder.adapter],
      plugins: [decider],
    });
  });
  afterEach(() => platform.stop());

  // Effect none: its deadline ends it as timed_out.
  const reads = recordOrb({ orb_id: 'test.reads@1.0.0', effect: 'none', action_class: 'read', timeout_ms: 100 });
  const run = (orb_id = orb): Promise<Answer> =>
    platform.call('POST', '/orbisets/default/execute', { orb_id, inputs: { token: 'x' } });
  const behave = (execute: () => Promise<void>): void => void (recorder.behaviour['a'] = { execute });

  it('tells in run_status what GET /runs/{run_id} tells; status stays the number of HTTP', async () => {
    const ended = async (orbId?: string): Promise<unknown> => {
      const { body, status } = await run(orbId);
      const stored = (await platform.call('GET', `/runs/${body.run_id}`)).body;
      expect([body.status, body.run_status]).to.deep.equal([status, stored.status]);
      return body.run_status;
    };
    behave(() => Promise.reject(new ProviderError('rejected', 'no such recipient')));
    expect(await ended()).to.equal('failed');
    behave(() => Promise.reject(new ProviderError('unknown', 'the connection broke', { phase: 'data' })));
    expect(await ended()).to.equal('indeterminate');
    behave(() => new Promise(() => undefined));
    expect(await ended('test.reads@1.0.0')).to.equal('timed_out');
    allow = false;
    expect(await ended()).to.equal('denied');
  });

  for (const reason of rejectedReasons)
    it(`says that a provider rejected it for ${reason}: to the caller, in the run, in the queue and in the receipt`, async () => {
      behave(() => Promise.reject(new ProviderError('rejected', 'no', { reason })));
      const { body } = await run();
      expect([body.code, body.provider_reason]).to.deep.equal(['provider_rejected', reason]);
      const { body: shown } = await platform.call('GET', `/runs/${body.run_id}`);
      expect(shown.failure).to.deep.equal({ code: 'provider_rejected', message: 'no', provider_reason: reason });
      expect(shown.attempts).to.have.length(1);
      expect(shown.attempts[0]).to.include({ outcome: 'rejected', reason });
      const asked = { orb_id: orb, inputs: { token: 'x' }, mode: 'async' };
      const { body: queued } = await platform.call('POST', '/orbisets/default/execute', asked);
      const { body: ended } = await platform.call('GET', `/runs/${queued.run_id}?wait=20`);
      expect(ended.problem).to.include({ code: 'provider_rejected', provider_reason: reason });
    });

  it('names no reason of a rejection without one, nor of another failure', async () => {
    for (const error of [
      new ProviderError('rejected', 'no'),
      new ProviderError('provider_fault', 'no', { reason: 'recipient_gone' }),
    ]) {
      behave(() => Promise.reject(error));
      const { body } = await run();
      expect(body).to.not.have.property('provider_reason');
      const { body: shown } = await platform.call('GET', `/runs/${body.run_id}`);
      expect(shown.failure).to.not.have.property('provider_reason');
      expect(shown.attempts[0]).to.not.have.property('reason');
    }
  });

  it('is absent where no run ended', async () => {
    const { body } = await platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: {} });
    expect([body.status, body.run_status]).to.deep.equal([422, undefined]);
  });
});
