import { given, PlatformError } from '../../kernel/index.ts';
import { boundOfChat, boundOfEmbedding, type ModelBounds, type TokenBound } from './ask.ts';
import type { MostUse } from './contract.ts';
import { mostCost } from './prices/cost.ts';
import { priceFor, type PricedModel, type Prices } from './prices/file.ts';
import { problems } from './problems.ts';
import type { Row } from './windows.ts';

/** A provider that may serve a call, with what it says of the alias. */
export interface Candidate extends PricedModel {
  readonly bounds: ModelBounds;
}

/** A call whose budgets are asked. */
export interface Call {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly candidates: readonly Candidate[];
  /** The day, UTC. */
  readonly day: string;
}

/** The prices, and what becomes of a model without one. */
export interface Pricing {
  readonly prices: Prices | undefined;
  readonly unpriced: 'refuse' | 'allow';
}

/**
 * Computes how much a call may use of each budget at most, whichever of the candidates serves it. Throws 422
 * `call_unbounded` and `model_unpriced`.
 */
export function demandOf(rows: readonly Row[], call: Call, pricing: Pricing): readonly number[] {
  const bounds = call.candidates.map((candidate) => ({ candidate, bound: boundOf(call.inputs, candidate) }));
  return rows.map(({ scope, subject, unit }) => {
    const own = bounds.filter(({ candidate: { provider } }) => scope !== 'provider' || provider === subject);
    const asks = own.map(({ bound, candidate }) =>
      unit === 'tokens' ? BigInt(bound.input + bound.output) : costAtMost(candidate, bound, call.day, pricing),
    );
    const most = asks.reduce((high, one) => (one > high ? one : high), 0n);
    return safe(most);
  });
}

/** Computes the most that a call can use; undefined when nothing bounds it, without `nanos` when a model has no price. */
export function mostUseOf(call: Call, { prices }: Pick<Pricing, 'prices'>): MostUse | undefined {
  const bounds = call.candidates.map((candidate) => ({ candidate, bound: knownBound(call.inputs, candidate) }));
  const known = bounds.flatMap(({ bound, candidate }) => (bound === undefined ? [] : [{ bound, candidate }]));
  if (known.length === 0 || known.length < bounds.length) return undefined;
  const costs = known.map(({ bound, candidate }) => {
    const entry = prices && priceFor(prices, candidate, call.day);
    const cost = entry && mostCost(entry, bound);
    return cost === undefined ? NaN : safe(cost);
  });
  const nanos = Math.max(...costs);
  return {
    tokens: Math.max(...known.map(({ bound: { input, output } }) => input + output)),
    ...given({ nanos: Number.isNaN(nanos) ? undefined : nanos }),
  };
}

const safe = (cost: bigint): number => Number(cost > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : cost);

const knownBound = (inputs: Call['inputs'], { bounds }: Candidate): TokenBound | undefined =>
  'messages' in inputs ? boundOfChat(inputs, bounds) : boundOfEmbedding(inputs);

function boundOf(inputs: Call['inputs'], candidate: Candidate): TokenBound {
  const bound = knownBound(inputs, candidate);
  if (bound !== undefined) return bound;
  const detail = `a budget applies to the call, and nothing bounds what ${candidate.provider} may use: send max_output_tokens, and no document, audio or image of unknown size`;
  throw new PlatformError(problems.call_unbounded, detail);
}

function costAtMost(model: Candidate, bound: TokenBound, day: string, { prices, unpriced }: Pricing): bigint {
  const entry = prices && priceFor(prices, model, day);
  const cost = entry && mostCost(entry, bound);
  if (cost !== undefined) return cost;
  if (unpriced === 'allow') return 0n;
  const detail = `a budget in nano-dollars applies to the call, and the model ${model.model} of ${model.provider} has no price`;
  throw new PlatformError(problems.model_unpriced, detail);
}
