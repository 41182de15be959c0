import { given } from '../../../kernel/index.ts';
import { signatureOf } from '../wire/opaque.ts';
import type { ChatOutputs, Usage } from '../../../providers/llm/contract.ts';
import type { OrbMember } from '../wire/shape.ts';

/** What all parts of one answer name. */
export interface AnswerFrame {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
}

/** Makes the answer of `POST /v1/chat/completions`. */
export function completionAnswer(outputs: ChatOutputs, { id, created }: AnswerFrame, orb: OrbMember): object {
  const { content, reasoning, refusal, tool_calls, finish_reason, service_tier } = outputs;
  const calls = tool_calls.map(({ id: callId, name, arguments_text }) => ({
    ...{ id: callId, type: 'function', function: { name, arguments: arguments_text } },
  }));
  const message = {
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusal !== undefined) ? null : content,
    refusal: refusal ?? null,
    ...given({ tool_calls: calls.length > 0 ? calls : undefined, reasoning_content: reasoning?.text }),
    ...given({ extra_content: extraOf(reasoning) }),
  };
  return {
    ...{ id, object: 'chat.completion', created, model: outputs.model },
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(finish_reason) }],
    ...given({ usage: usageOf(outputs.usage), service_tier }),
    orb,
  };
}

/** Writes why a model ended, as this API does: a refusal is told by the message. */
export function finishOf(reason: ChatOutputs['finish_reason']): string {
  return reason === 'refusal' ? 'stop' : reason;
}

/** Writes where the form that a vendor takes back travels in this API. */
export function extraOf(reasoning: ChatOutputs['reasoning']): object | undefined {
  const opaque = reasoning?.opaque;
  return opaque && { google: { thought_signature: signatureOf(opaque, 'gemini') } };
}

/** Writes what a provider reported; undefined when it reported no totals. */
export function usageOf(usage: Usage): object | undefined {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage;
  if (input_tokens === undefined || output_tokens === undefined) return undefined;
  const written = cache_write_tokens && Object.values(cache_write_tokens).reduce((sum, count) => sum + count, 0);
  const prompt = given({ cached_tokens: cache_read_tokens, cache_write_tokens: written });
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(Object.keys(prompt).length === 0 ? {} : { prompt_tokens_details: prompt }),
    ...(reasoning_tokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens } }),
  };
}
