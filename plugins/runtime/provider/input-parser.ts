import { ProviderError, type Adapter } from '../../../kernel/adapter.ts';
import type { InputParser, Failure } from '../../../kernel/runner.ts';
import { failureOf } from '../outcome/failure.ts';

/** The inputs as their capability parses them, or the reason why no provider may have them. */
export type ParsedInputs =
  | { readonly values: Readonly<Record<string, unknown>> }
  | { readonly refused: Failure & { readonly outcome: 'rejected' } };

/** The parser of each capability that has one. */
export type InputParsers = ReadonlyMap<string, InputParser>;

/** Collects the parsers: the first adapter of a capability decides, so that a shipped one comes before others. */
export function inputParsers(adapters: readonly Adapter[]): InputParsers {
  const parsers = new Map<string, InputParser>();
  for (const { capability, parse } of adapters)
    if (parse !== undefined && !parsers.has(capability)) parsers.set(capability, parse);
  return parsers;
}

/** Parses inputs; a refusal is a value. */
export function parseInputs(parse: InputParser, inputs: Readonly<Record<string, unknown>>): ParsedInputs {
  try {
    return { values: parse(inputs) };
  } catch (error) {
    const refused = error instanceof ProviderError ? failureOf(error) : undefined;
    if (refused?.outcome !== 'rejected') throw error;
    return { refused: { ...refused, outcome: 'rejected' } };
  }
}
