import { candidatesFor as servingFor, type CallProvider } from '../../providers/llm/contract.ts';
import type { ModelBounds } from './ask.ts';
import type { Candidate } from './demand.ts';

export type { CallProvider };

/** Lists the providers that may serve an alias, with the model that each asks for and its bounds. */
export function candidatesFor(alias: string, providers: readonly CallProvider[]): readonly Candidate[] {
  return servingFor<ModelBounds>(alias, providers).map(({ settings: bounds, ...one }) => ({ ...one, bounds }));
}
