/** The contract of budgets that other plugins may import: the most that a call can use. */
import { defineService } from '../../kernel/index.ts';
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
