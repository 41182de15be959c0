import { expect } from 'chai';
import { createMetrics } from '../../../kernel/tools/metrics.ts';

/** The lines of one metric, comments left out. */
async function lines(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const { text } = await metrics.show();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('a counter', () => {
  it('counts under each set of labels, whatever their order', async () => {
    const metrics = createMetrics();
    const counter = metrics.counter('orb_tries_total', 'Tries', ['orb_id', 'generation']);
    counter.inc({ orb_id: 'a.b@1.0.0', generation: 1 });
    counter.inc({ generation: 1, orb_id: 'a.b@1.0.0' }, 2);
    counter.inc({ orb_id: 'a.b@1.0.0', generation: 2 });
    counter.inc({ orb_id: 'a "quoted" one', generation: 1 });
    expect(await lines(metrics, 'orb_tries_total')).to.deep.equal([
      'orb_tries_total{orb_id="a.b@1.0.0",generation="1"} 3',
      'orb_tries_total{orb_id="a.b@1.0.0",generation="2"} 1',
      'orb_tries_total{orb_id="a \\"quoted\\" one",generation="1"} 1',
    ]);
    expect((await metrics.show()).text).to.include('# TYPE orb_tries_total counter');
  });

  it('without labels is shown before anything was counted, one with labels is not', async () => {
    const metrics = createMetrics();
    const plain = metrics.counter('orb_plain_total', 'Plain');
    metrics.counter('orb_labelled_total', 'Labelled', ['name']);
    expect(await lines(metrics, 'orb_plain_total')).to.deep.equal(['orb_plain_total 0']);
    expect(await lines(metrics, 'orb_labelled_total')).to.deep.equal([]);
    plain.inc();
    expect(await lines(metrics, 'orb_plain_total')).to.deep.equal(['orb_plain_total 1']);
  });
});
