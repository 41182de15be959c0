import type { ChatAssembler } from '../shape/parts.ts';
import type { FinishReason } from '../shape/outputs.ts';

// `fault`: the vendor says that it failed.
const reasons: Readonly<Record<'openai' | 'anthropic', Readonly<Record<string, FinishReason | 'fault'>>>> = {
  openai: {
    stop: 'stop',
    length: 'length',
    model_length: 'length',
    tool_calls: 'tool_calls',
    function_call: 'tool_calls',
    content_filter: 'content_filter',
    error: 'fault',
  },
  anthropic: {
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    refusal: 'refusal',
    pause_turn: 'fault',
  },
};

/**
 * Says why an answer ended, by the vendor's word and by what the answer holds: agents stop when calls of tools come with
 * `stop`. An unknown word is a plain end.
 */
export function finishOf(
  vendor: keyof typeof reasons,
  word: string,
  { calls, refused }: Pick<ChatAssembler, 'calls' | 'refused'>,
): FinishReason | 'fault' {
  const table = reasons[vendor];
  const reason = Object.hasOwn(table, word) ? (table[word] ?? 'stop') : 'stop';
  if (reason === 'stop' && refused) return 'refusal';
  if (reason === 'stop' && calls) return 'tool_calls';
  return reason === 'tool_calls' && !calls ? 'stop' : reason;
}
