import { ProviderError } from '../../../kernel/adapter.ts';
import { member } from '../../vendor/http/json.ts';
import { countOutputs, type CountOutputs } from '../shape/outputs.ts';

const most = countOutputs.properties.input_tokens.maximum;

/** The members of a call of the Messages API that its counting of tokens takes, too. */
export function countRequest(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { max_tokens: _, ...counted } = body;
  return counted;
}

/** Reads what the vendor counted. Throws ProviderError for an answer without a count. */
export function countOf(body: unknown, model: string): CountOutputs {
  const input_tokens = member(body, 'input_tokens');
  if (Number.isInteger(input_tokens) && (input_tokens as number) >= 0 && (input_tokens as number) <= most)
    return { model, input_tokens: input_tokens as number };
  throw new ProviderError('unknown', 'Anthropic sent no readable answer: it has no count', { phase: 'response' });
}
