import { emptyResource } from '@opentelemetry/resources';
import { expect } from 'chai';
import { Traces, type SpanResult } from '../../../plugins/telemetry/otlp/traces.ts';
import type { Sampling } from '../../../plugins/telemetry/standard.ts';
import type { SpanData, TraceData } from '../../../plugins/telemetry/spans.ts';

const low = '00000000000000000000000000000001';
// The SDK joins the four parts of an id by exclusive or.
const high = 'ffffffff000000000000000000000000';
const parent = (sampled: boolean) => ({ span_id: '00f067aa0ba902b7', sampled });

const span = (span_id: string, children: readonly SpanData[] = []): SpanData => ({
  ...{
    span_id,
    name: 'x',
    kind: 'server',
    from: 1_000_000,
    to: 1_000_001.5,
    attributes: {},
    failed: false,
    events: [],
  },
  children,
});

function tracesOf(sampling: Sampling, most = 100) {
  const names: string[] = [];
  const counts: Partial<Record<SpanResult, number>> = {};
  const traces = new Traces({
    ...{ sampling, resource: emptyResource(), scope: { name: 'x', version: '1' } },
    queue: { most, batch: most, delayMs: 60_000 },
    send: async (spans) => {
      for (const one of spans) names.push(`${one.spanContext().traceId.slice(0, 2)} ${one.spanContext().spanId}`);
      return 0;
    },
    count: (result, number) => (counts[result] = (counts[result] ?? 0) + number),
  });
  return { counts, names, traces };
}

describe('the traces of the export', () => {
  const cases: readonly (readonly [string, Sampling, Pick<TraceData, 'parent' | 'trace_id'>, boolean])[] = [
    ['a root, all sampled', { root: 1, parent: true }, { trace_id: low }, true],
    ['a root, none sampled', { root: 0, parent: true }, { trace_id: low }, false],
    ['a root of the half that is sampled', { root: 0.5, parent: true }, { trace_id: low }, true],
    ['a root of the other half', { root: 0.5, parent: true }, { trace_id: high }, false],
    ['a sampled caller, no root sampled', { root: 0, parent: true }, { trace_id: low, parent: parent(true) }, true],
    ['a caller that does not sample', { root: 1, parent: true }, { trace_id: low, parent: parent(false) }, false],
    ['a caller without a say', { root: 1, parent: false }, { trace_id: low, parent: parent(false) }, true],
    [
      'a caller without a say, no root sampled',
      { root: 0, parent: false },
      { trace_id: low, parent: parent(true) },
      false,
    ],
    ['a caller without a say, by ratio', { root: 0.5, parent: false }, { trace_id: high, parent: parent(true) }, false],
  ];
  for (const [name, sampling, of, sampled] of cases)
    it(`tell providers what is exported, and export it with its calls: ${name}`, async () => {
      const { counts, names, traces } = tracesOf(sampling);
      expect(traces.callOf(of)).to.match(new RegExp(`^00-${of.trace_id}-[0-9a-f]{16}-${sampled ? '01' : '00'}$`));
      traces.take(of, 2, () => span('1'.repeat(16), [span('2'.repeat(16))]));
      await traces.stop();
      const start = of.trace_id.slice(0, 2);
      const wanted = [`${start} ${'2'.repeat(16)}`, `${start} ${'1'.repeat(16)}`];
      expect(names).to.deep.equal(sampled ? wanted : []);
      expect(counts).to.deep.equal(sampled ? { exported: 2, rejected: 0 } : {});
    });

  it('drop a whole trace that finds no place, without making it', async () => {
    const { counts, names, traces } = tracesOf({ root: 1, parent: true }, 3);
    traces.take({ trace_id: low }, 2, () => span('1'.repeat(16), [span('2'.repeat(16))]));
    traces.take({ trace_id: low }, 2, () => expect.fail('it was made'));
    traces.take({ trace_id: low }, 1, () => span('3'.repeat(16)));
    await traces.stop();
    expect(names).to.have.lengthOf(3);
    expect(counts).to.deep.equal({ exported: 3, rejected: 0, dropped: 2 });
  });

  const traceparent = (flags: string): string => `00-${low}-${'3'.repeat(16)}-${flags}`;
  for (const [name, sampling, given, drops, dropped] of [
    ['the trace that a server begins', { root: 1, parent: true }, undefined, true, 2],
    ['a sampled one', { root: 1, parent: true }, traceparent('01'), true, 2],
    ['one that is not sampled, which is not counted', { root: 1, parent: true }, traceparent('00'), true, undefined],
    [
      'one of a share of the traces: only its id tells',
      { root: 0.5, parent: true },
      traceparent('01'),
      false,
      undefined,
    ],
    ['one whose caller has no say', { root: 1, parent: false }, traceparent('00'), false, undefined],
  ] as const)
    it(`drop, before its place is known, ${name}`, async () => {
      const { counts, traces } = tracesOf(sampling, 3);
      expect(traces.drops(given, 2)).to.equal(false);
      traces.take({ trace_id: low, parent: parent(true) }, 2, () => span('1'.repeat(16), [span('2'.repeat(16))]));
      expect([traces.drops(given, 2), counts.dropped]).to.deep.equal([drops, dropped]);
      await traces.stop();
    });
});
