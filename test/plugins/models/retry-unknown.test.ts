import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { said, startBed, type Bed } from './bed.ts';

const body = { model: 'fast', messages: [{ role: 'user', content: 'hi' }] };
const orbiset = { tenant: 'default', orbs: ['*'] };

describe('a metered call with an unknown outcome', () => {
  let bed: Bed;
  before(async () => {
    bed = await startBed({
      platform: { providers: { one: { adapter: 'llm/script' }, two: { adapter: 'llm/script' } } },
      data: {
        'orbisets/careful.json': { ...orbiset, id: 'careful', retry_unknown: false },
        'orbisets/willing.json': { ...orbiset, id: 'willing', retry_unknown: true },
      },
    });
  });
  after(async () => bed.platform.stop());

  const ask = async (id: string, outcome: 'unknown' | 'throttled' | 'not_sent') => {
    const before = bed.calls.length;
    bed.answer(async () => {
      if (bed.calls.length === before + 1) throw new ProviderError(outcome, 'gone', { phase: 'response' });
      return said('hello');
    });
    const { headers, body: answer, status } = await bed.post(`/orbisets/${id}/v1/chat/completions`, body);
    const runId = answer.orb?.run_id ?? answer.error.orb.run_id;
    const { body: run } = await bed.platform.call('GET', `/runs/${String(runId)}`);
    const attempts = (run.attempts as { outcome: string }[]).map((one) => one.outcome);
    return { status, calls: bed.calls.length - before, attempts, retry: headers.get('x-should-retry') };
  };

  it('goes to the next provider, if the Orbiset does not say otherwise', async () => {
    for (const id of ['default', 'willing'])
      expect(await ask(id, 'unknown')).to.deep.equal({
        ...{ status: 200, calls: 2, attempts: ['unknown', 'accepted'], retry: null },
      });
  });

  it('ends with `retry_unknown: false`, and clients are told not to repeat it', async () => {
    expect(await ask('careful', 'unknown')).to.deep.equal({
      ...{ status: 502, calls: 1, attempts: ['unknown'], retry: 'false' },
    });
  });

  it('is no call that its vendor refused, or that was not sent: these go on', async () => {
    for (const outcome of ['throttled', 'not_sent'] as const)
      expect(await ask('careful', outcome)).to.deep.equal({
        ...{ status: 200, calls: 2, attempts: [outcome, 'accepted'], retry: null },
      });
  });

  it('is the only reason to look at the setting: other Orbs are tried again', async () => {
    const before = bed.calls.length;
    bed.answer(async () => {
      if (bed.calls.length <= before + 1) throw new ProviderError('unknown', 'gone', { phase: 'response' });
      return { model: 'm', input_tokens: 1 };
    });
    const response = await bed.post('/orbisets/careful/v1/messages/count_tokens', body);
    expect([response.status, bed.calls.length - before]).to.deep.equal([200, 2]);
  });
});
