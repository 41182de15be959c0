import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { readCloudEvent } from '../../helpers/cloud-events.ts';
import { until } from '../../helpers/until.ts';
import { startBed, type Bed } from './bed.ts';

describe('callbacks as CloudEvents', function () {
  this.timeout(60_000);
  let bed: Bed;
  before(async () => (bed = await startBed()));
  beforeEach(function () {});
  after(() => bed.stop());

  it('are read by the package cloudevents, as they arrive', async () => {
    const { url, posts } = await bed.receiver();
    await bed.subscribe(url, { types: ['run.*'], include: ['outputs'], format: 'cloudevents' }, 'keeping');
    bed.recorder.behaviour['a'] = {
      execute: (token) => {
        if (token === 'bad') throw new ProviderError('rejected', 'no', { reason: 'recipient_gone' });
        if (token === 'lost') throw new ProviderError('unknown', 'the outcome is unknown', { phase: 'data' });
      },
    };
    const ends = { 'good ☂': 'completed', bad: 'failed', lost: 'indeterminate' };
    const statuses = new Map<string, string>();
    for (const [token, status] of Object.entries(ends))
      statuses.set((await bed.run(token, 'keeping')).body.run_id, status);
    await until(
      () => posts.length,
      (count) => count === 3,
      'three callbacks',
    );
    for (const { headers, body } of posts) {
      const event = readCloudEvent({ headers, body: body.toString() });
      const status = statuses.get(event.subject ?? '');
      expect(event).to.include({ specversion: '1.0', type: `agent-orb.run.${status}`, id: headers['webhook-id'] });
      expect(event.source).to.match(/^urn:agent-orb:ins_\w{26}$/);
      expect(event.data).to.include({ run_id: event.subject, status });
      const why = status === 'failed' ? 'recipient_gone' : undefined;
      expect(event.data['provider_reason']).to.equal(why);
      if (status === 'completed') expect(event.data['outputs']).to.include({ token: 'good ☂' });
    }
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).to.equal(3);
  });
});
