import { expect } from 'chai';
import fc from 'fast-check';
import { PlatformError } from '../../../../kernel/index.ts';
import type { Signal } from '../../../../plugins/ingestion/signals/signal.ts';
import { noon, openBench, signalOf, sourceOf, type Bench } from './bench.ts';
import type { SourceView } from '../../../../plugins/ingestion/sources/settings/schema.ts';

const runs = Number(process.env['INCIDENT_PERMUTATIONS'] ?? 40);

const byMail = { binding: { kind: 'orb', id: 'notify.email@1.0.0' } } as const;
const sources = [
  sourceOf('one', {}, byMail),
  sourceOf('two', { hold_s: 0, reopen_window_s: 300 }, byMail),
  sourceOf('three', { ttl_s: 600 }, byMail),
  sourceOf('four', { for_s: 120, auto_resolve: 'last' }, byMail),
  sourceOf('five', { auto_resolve: 'never' }, byMail),
] as const;

const happening = fc.record({
  act: fc.constantFrom('say', 'say', 'say', 'say', 'wait', 'acknowledge', 'resolve', 'retract', 'reread', 'forget'),
  source: fc.constantFrom(...sources),
  alert: fc.constantFrom('a', 'b'),
  state: fc.constantFrom('firing', 'firing', 'resolved', 'acknowledged', 'suppressed'),
  severity: fc.constantFrom('critical', 'high', 'warning', 'info'),
  strength: fc.constantFrom('strong', 'strong', 'strong', 'url_token'),
  /** Seconds since the one before, and by how many it was told late. */
  gap: fc.constantFrom(1, 20, 60, 300, 1000),
  late: fc.constantFrom(0, 0, 30, 300),
  nth: fc.nat(3),
  restart: fc.boolean(),
} as const);

type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

interface Told {
  readonly source: SourceView;
  readonly signal: Signal;
}

async function decide(bench: Bench, verb: string, nth: number): Promise<void> {
  const fit = bench.live().filter(({ facts }) => verb === 'retract' || facts.state !== 'resolved');
  const one = fit.toSorted((a, b) => (JSON.stringify(a.facts) < JSON.stringify(b.facts) ? -1 : 1))[nth % fit.length];
  if (one === undefined) return;
  const route = bench.side.routes.find(({ path }) => path === `/incidents/{incident_id}/${verb}`);
  const body = verb === 'acknowledge' ? {} : { reason: 'because' };
  const principal = { id: 'prn_01JD5ZK0000000000000000000' };
  const call = { params: { incident_id: one.incident_id }, body, principal };
  try {
    await route?.handle(call as never);
  } catch (error) {
    // What was over long ago stands as it is, with and without a restart.
    if (!(error instanceof PlatformError && error.code === 'incident_conflict')) throw error;
  }
}

/** Lets one thing happen; `told` are the signals so far. */
async function happen(bench: Bench, one: Happening, told: Told[], second: number): Promise<void> {
  const { act, source, nth, late, ...said } = one;
  if (act === 'say') {
    const signal = signalOf(source, { ...said, at: second - late, key: `signal ${second}` });
    told.push({ source, signal });
    await bench.deliver(source, [signal]);
  } else if (act === 'reread') {
    const [old] = told.splice(nth % Math.max(1, told.length), 1);
    if (old === undefined) return;
    const signal = {
      ...old.signal,
      signal_id: `${old.signal.signal_id.slice(0, 12)}${second}`,
      severity: one.severity,
    };
    told.push({ ...old, signal });
    await bench.deliver(old.source, [signal], [old.signal.signal_id]);
  } else if (act === 'forget') await bench.side.forget(noon + (second - 2000) * 1000);
  else if (act !== 'wait') await decide(bench, act, nth);
}

/** Answers what the incidents are after each happening, ids left out. */
async function course(happenings: readonly Happening[], { killed }: { readonly killed: boolean }) {
  let bench = await openBench();
  const states: string[][] = [];
  const told: Told[] = [];
  let second = 0;
  try {
    for (const one of happenings) {
      second += one.gap;
      await bench.tick(noon + second * 1000);
      await happen(bench, one, told, second);
      if (killed && one.restart) bench = await bench.restart();
      await bench.side.look();
      states.push(bench.live().map(({ kind, facts, shown }) => JSON.stringify([kind, facts, shown])));
    }
    return states.map((all) => all.sort());
  } finally {
    await bench.close();
  }
}

describe('a restart at any time', () => {
  it('leaves incidents as they would be without it', async function () {
    this.timeout(600_000);
    const property = fc.asyncProperty(fc.array(happening, { minLength: 3, maxLength: 12 }), async (happenings) => {
      expect(await course(happenings, { killed: true })).to.deep.equal(await course(happenings, { killed: false }));
    });
    await fc.assert(property, { numRuns: runs });
  });
});
