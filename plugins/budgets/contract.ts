/** The contract of budgets that other plugins may import: the most that a call can use, and rates of tokens. */
import { defineService, type Principal } from '../../kernel/index.ts';
import type { CallProvider } from '../../providers/llm/contract.ts';

/** The most that a call can use, whichever of its candidates serves it. */
export interface MostUse {
  /** Tokens of input and output together. */
  readonly tokens: number;
  /** Nano-dollars; absent when a candidate has no price. */
  readonly nanos?: number;
}

/** Computes the most that a call can use; undefined when nothing bounds it. */
export type MostUseOf = (
  inputs: Readonly<Record<string, unknown>>,
  candidates: readonly CallProvider[],
) => MostUse | undefined;

/** The token of the service. */
export const mostUse = defineService<MostUseOf>('most_use');

/** What is left of a budget of tokens per minute. */
export interface TokenRate {
  readonly limit: number;
  readonly remaining: number;
  /** When the minute ends, milliseconds since the Unix epoch. */
  readonly ends_at: number;
}

/** A call whose budgets of tokens per minute are read. */
export interface RatedCall {
  readonly principal: Pick<Principal, 'id' | 'key_id' | 'tenant'>;
  readonly orbiset_id: string;
  /** The alias that the caller named. */
  readonly model: string;
  /** The provider that was asked. */
  readonly provider: string | undefined;
}

/** Reads what is left of the tightest budget of tokens per minute that applies to a call; undefined: none does. */
export type TokenRateOf = (call: RatedCall) => Promise<TokenRate | undefined>;

/** The token of the service. */
export const tokenRate = defineService<{ readonly of: TokenRateOf | undefined }>('token_rate');
