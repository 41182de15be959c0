import type { ChatOutputs, ChatPart } from '../../../providers/llm/contract.ts';

/** What a run emitted, and its outputs. */
export interface Streamed {
  readonly name: string;
  readonly parts: readonly ChatPart[];
  readonly outputs: ChatOutputs;
}

/** How an answer names its run in these tests. */
export const orb = { run_id: 'run_1', receipt_id: 'rec_1' };

const usage: ChatOutputs['usage'] = {
  input_tokens: 100,
  cache_read_tokens: 60,
  cache_write_tokens: { '5m': 10, '1h': 5 },
  output_tokens: 20,
  reasoning_tokens: 8,
  source: 'vendor',
};
const base: ChatOutputs = { model: 'vendor-model', content: '', tool_calls: [], finish_reason: 'stop', usage };
const calls = [
  { id: 'c1', name: 'look', arguments_text: '{"a": 1}' },
  { id: 'c2', name: 'find', arguments_text: '' },
];
const opaque = { adapter: 'anthropic', data: 'sig' };

/** Streams of all kinds of parts. */
export const streams: readonly Streamed[] = [
  {
    name: 'text',
    parts: [
      { type: 'usage', input_tokens: 100, source: 'partial' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo "x"\n' },
    ],
    outputs: { ...base, content: 'Hello "x"\n' },
  },
  { name: 'nothing', parts: [], outputs: { ...base, finish_reason: 'content_filter', usage: { source: 'absent' } } },
  {
    name: 'an answer that was not emitted',
    parts: [],
    outputs: { ...base, content: 'whole', tool_calls: calls, finish_reason: 'tool_calls' },
  },
  {
    name: 'two calls of tools after a text',
    parts: [
      { type: 'text', text: 'so' },
      { type: 'tool_call', index: 0, id: 'c1', name: 'look' },
      { type: 'tool_call', index: 0, arguments_text: '{"a"' },
      { type: 'tool_call', index: 0, arguments_text: ': 1}' },
      { type: 'tool_call', index: 1, id: 'c2', name: 'find', arguments_text: '' },
    ],
    outputs: { ...base, content: 'so', tool_calls: calls, finish_reason: 'tool_calls' },
  },
  {
    name: 'reasoning with its signature',
    parts: [
      { type: 'reasoning', text: 'h' },
      { type: 'reasoning', text: 'm' },
      { type: 'reasoning', opaque },
      { type: 'text', text: 'so' },
    ],
    outputs: { ...base, content: 'so', reasoning: { text: 'hm', opaque }, finish_reason: 'length' },
  },
  {
    name: 'reasoning that is not shown',
    parts: [
      { type: 'reasoning', opaque },
      { type: 'text', text: 'so' },
    ],
    outputs: { ...base, content: 'so', reasoning: { opaque } },
  },
  {
    name: 'a refusal',
    parts: [{ type: 'refusal', text: 'no' }],
    outputs: { ...base, refusal: 'no', finish_reason: 'refusal' },
  },
];
