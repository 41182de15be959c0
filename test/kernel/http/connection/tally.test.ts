import { expect } from 'chai';
import { createTallies } from '../../../../kernel/http/connection/tally.ts';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';

describe('the tallies of answers', () => {
  it('count each answer in the bucket of its time, whose bound belongs to it, and by its status', async () => {
    const metrics = createMetrics();
    const tallies = createTallies(metrics);
    const tally = tallies.of('/things/{id}', 'GET');
    for (const seconds of [0, 0.001, 0.0011, 0.1, 10, 10.1]) tally.count(200, seconds);
    tallies.of('/things/{id}', 'GET').count(404, 2);
    tallies.of('/never', 'GET');
    const { text } = await metrics.show();
    const values = (name: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(name))
        .map((line) => line.replace(/^.*(?:status|le)="([^"]*)".* (.*)$/, '$1 $2'));
    expect(values('orb_http_requests_total')).to.deep.equal(['200 6', '404 1']);
    const buckets = ['0.001 2', '0.005 3', '0.02 3', '0.1 4', '0.5 4', '2 5', '10 6', '+Inf 7'];
    expect(values('orb_http_request_seconds_bucket')).to.deep.equal(buckets);
    expect(text).to.contain('orb_http_request_seconds_count{route="/things/{id}",method="GET"} 7');
    expect(text).not.to.contain('/never');
  });
});
