import { given } from '../../kernel/index.ts';
import type { MeteredFacts, MeteredRun, MeterPort } from '../runtime/contract.ts';
import type { Meter, MeteredCall, MeterFacts } from './meter.ts';

/** Lets the runtime use a meter. */
export function portOf(meter: Meter): MeterPort {
  return {
    reserve: (run) => meter.reserve(callOf(run)),
    async settle(run, end) {
      const { facts, operations } = await meter.settle(callOf(run), end);
      return { operations, facts: factsOf(facts) };
    },
    priceOf: (alias, { config, ...one }) => meter.priceOf(alias, { ...one, config }),
  };
}

/** Makes the call of a metered run as the meter looks at it. */
export function callOf({ candidates, ...run }: MeteredRun): MeteredCall {
  return { ...run, providers: candidates.map(({ config, ...one }) => ({ ...one, config })) };
}

// Receipts list what was written to caches: a statement has no members whose names are data.
function factsOf({ usage, ...facts }: MeterFacts): MeteredFacts {
  if (usage === undefined) return facts;
  const { cache_write_tokens: written, ...counts } = usage;
  const listed = written && Object.entries(written).map(([ttl, tokens]) => ({ ttl, tokens }));
  return { ...facts, usage: { ...counts, ...given({ cache_write_tokens: listed }) } };
}
