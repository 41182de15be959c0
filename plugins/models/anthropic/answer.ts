import { given } from '../../../kernel/index.ts';
import { signatureOf } from '../wire/opaque.ts';
import type { ChatOutputs, Usage } from '../../../providers/llm/contract.ts';
import type { OrbMember } from '../wire/shape.ts';
import { signing } from './messages.ts';

/** Makes the answer of `POST /v1/messages`. */
export function messageAnswer(outputs: ChatOutputs, id: string, orb: OrbMember): object {
  const { content, reasoning, refusal, tool_calls } = outputs;
  const thought = reasoning === undefined ? undefined : thinkingBlock(reasoning);
  const texts = [content, refusal ?? ''].filter((text) => text !== '');
  return {
    ...{ id, type: 'message', role: 'assistant', model: outputs.model },
    content: [
      ...(thought === undefined ? [] : [thought]),
      ...texts.map((text) => ({ type: 'text', text, citations: null })),
      ...tool_calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: inputOf(call.arguments_text),
      })),
    ],
    ...stopOf(outputs),
    usage: { ...usageOf(outputs.usage), ...given({ service_tier: outputs.service_tier }) },
    orb: orbOf(outputs, orb),
  };
}

// Thinking that the vendor shows to nobody has no text.
function thinkingBlock({ text, opaque }: NonNullable<ChatOutputs['reasoning']>): object | undefined {
  const signature = opaque && signatureOf(opaque, signing);
  if (text === undefined) return signature === undefined ? undefined : { type: 'redacted_thinking', data: signature };
  return { type: 'thinking', thinking: text, signature: signature ?? '' };
}

// The vendor's text is no object only when its model failed; the caller sees it as it is then.
function inputOf(text: string): object {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Shown below.
  }
  return { arguments_text: text };
}

const reasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
} as const;

/** Writes why a model ended. */
export function stopOf({ finish_reason }: ChatOutputs): object {
  return { stop_reason: reasons[finish_reason], stop_sequence: null };
}

/** Says that counts are absent: this API needs numbers, and zero would be a claim. */
export function orbOf({ usage }: ChatOutputs, orb: OrbMember): object {
  const { input_tokens, output_tokens } = usage;
  return input_tokens === undefined || output_tokens === undefined ? { ...orb, usage: 'absent' } : orb;
}

/** Writes what a provider reported: this API counts cached tokens apart. */
export function usageOf(usage: Usage): Readonly<Record<string, unknown>> {
  const { input_tokens = 0, output_tokens = 0, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const written = cache_write_tokens && Object.values(cache_write_tokens).reduce((sum, count) => sum + count, 0);
  const own = Math.max(0, input_tokens - (cache_read_tokens ?? 0) - (written ?? 0));
  return {
    input_tokens: own,
    output_tokens,
    ...given({
      cache_read_input_tokens: cache_read_tokens,
      cache_creation_input_tokens: written,
      cache_creation: cache_write_tokens && {
        ephemeral_5m_input_tokens: cache_write_tokens['5m'] ?? 0,
        ephemeral_1h_input_tokens: cache_write_tokens['1h'] ?? 0,
      },
      output_tokens_details: reasoning_tokens === undefined ? undefined : { thinking_tokens: reasoning_tokens },
    }),
  };
}
