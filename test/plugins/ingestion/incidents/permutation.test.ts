import { expect } from 'chai';
import fc from 'fast-check';
import type { IncidentLine } from '../../../../plugins/ledger/fact/line.ts';
import { mergeIncident } from '../../../../plugins/ledger/projection/incidents.ts';
import { debtOf } from '../../../../plugins/ledger/score/debt.ts';
import { noon, openBench, signalOf, sourceOf, type Attested, type Said } from './bench.ts';
import type { SourceView } from '../../../../plugins/ingestion/sources/settings/schema.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

const runs = Number(process.env['INCIDENT_PERMUTATIONS'] ?? 40);

const byMail = { binding: { kind: 'orb', id: 'notify.email@1.0.0' } } as const;
const sources = [
  sourceOf('datadog', {}, byMail),
  sourceOf('pagerduty', { hold_s: 0, reopen_window_s: 300 }, byMail),
  sourceOf('mixpanel', { ttl_s: 600 }, byMail),
  sourceOf('grafana', { for_s: 120, auto_resolve: 'last' }, byMail),
  sourceOf('alertmanager', { stale_after_s: 600 }, byMail),
] as const;

interface Delivered {
  readonly source: SourceView;
  readonly said: Said;
}

const delivered: fc.Arbitrary<Delivered> = fc.record({
  source: fc.constantFrom(...sources),
  said: fc
    .record({
      // Several deliveries may say the same.
      key: fc.constantFrom('1', '2', '3'),
      alert: fc.constantFrom('a', 'b'),
      at: fc.integer({ min: -120, max: -1 }).map((half) => half * 30),
      state: fc.constantFrom('firing', 'firing', 'firing', 'resolved', 'resolved', 'acknowledged', 'unknown'),
      severity: fc.constantFrom('critical', 'high', 'warning', 'info'),
      strength: fc.constantFrom('strong', 'strong', 'shared_secret', 'url_token', 'none'),
      test: fc.constantFrom(false, false, false, true),
    })
    .map((said) => ({ ...said, key: JSON.stringify(said) })),
});

const sequences = fc
  .uniqueArray(delivered, {
    minLength: 2,
    maxLength: 14,
    selector: ({ source, said }) => JSON.stringify([source.name, said]),
  })
  .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));

/** Delivers in an order, each a while after the one before, and answers what is left of it in the end. */
async function outcome(order: readonly Delivered[], stepMs: number) {
  const bench = await openBench();
  try {
    for (const [index, { source, said }] of order.entries()) {
      bench.now(noon + index * stepMs);
      const signal = signalOf(source, said);
      await bench.deliver(source, [signal]);
      // A duplicate without a signal, and the same signal again, as after a write that nobody heard of.
      await bench.side.sink.refreshed({
        delivery_id: signal.delivery_id,
        source_id: source.source_id,
        at: signal.received_at,
      });
      if (index % 3 === 0) await bench.deliver(source, [signal]);
    }
    await bench.tick(noon + 86_400_000);
    const live = bench.live().filter(({ kind }) => kind === 'alerts');
    return {
      intervals: live
        .map(({ facts, shown }) => ({ ...facts, stretches: shown.stretches, reopened: shown.reopen_count }))
        .sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1)),
      corroboration: live
        .map(({ incident_id, facts }) => ({
          starts_at: facts.starts_at,
          said: [
            ...new Set(bench.reads.deliveries(incident_id).map((d) => `${d.source_id} ${d.auth_strength}`)),
          ].sort(),
        }))
        .sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1)),
      debts: debtsOf(bench.facts),
      facts: bench.facts,
    };
  } finally {
    await bench.close();
  }
}

// As the ledger folds the log, in any order of its entries.
function debtsOf(facts: readonly Attested[]): readonly number[] {
  const incidents = new Map<string, Incident>();
  for (const { fact } of facts)
    incidents.set(fact.incident_id, mergeIncident(incidents.get(fact.incident_id), lineOf(fact)));
  const days = [0, 1, 7].map((days) => Math.floor(noon / 86_400_000) + days);
  const faults = [{ provider: 'smtp-main', n: 10, fault: 0 }];
  return days.map((day) => debtOf({ orb_id: 'notify.email@1.0.0' }, incidents.values(), day, () => faults).debt_milli);
}

function lineOf({ incident_id, facts }: Attested['fact']): IncidentLine {
  return { kind: 'incident', incident_id, ...facts } as unknown as IncidentLine;
}

describe('any order of deliveries', () => {
  it('leaves the same incidents, intervals, corroboration and debt', async function () {
    this.timeout(600_000);
    let owing = 0;
    await fc.assert(
      fc.asyncProperty(sequences, fc.constantFrom(0, 20_000, 400_000), async ([first, second], stepMs) => {
        const one = await outcome(first, 0);
        const other = await outcome(second, stepMs);
        expect(other.intervals).to.deep.equal(one.intervals);
        expect(other.corroboration).to.deep.equal(one.corroboration);
        expect(other.debts).to.deep.equal(one.debts);
        if (one.debts.some((debt) => debt > 0)) owing++;
      }),
      { numRuns: runs },
    );
    expect(owing).to.be.greaterThan(runs / 4);
  });

  it('is not moved by weak alerts: the incidents are those of the sure ones alone', async function () {
    this.timeout(600_000);
    await fc.assert(
      fc.asyncProperty(sequences, async ([first]) => {
        const isSure = ({ said }: Delivered): boolean =>
          said.test !== true && (said.strength === 'strong' || said.strength === 'shared_secret');
        const all = await outcome(first, 0);
        const sure = await outcome(first.filter(isSure), 0);
        expect(all.intervals).to.deep.equal(sure.intervals);
        expect(all.corroboration).to.deep.equal(sure.corroboration);
        expect(all.debts).to.deep.equal(sure.debts);
      }),
      { numRuns: Math.ceil(runs / 2) },
    );
  });
});
