import type { ChatOutputs } from '../../../../providers/llm/contract.ts';
import { orbAdapters, type Api } from './gateway.ts';

/** What a vendor answers to one model: the name decides, so that each call has an answer of its own. */
export interface VendorAnswer {
  readonly id: string;
  readonly model: string;
  readonly reasoning: string;
  readonly texts: readonly string[];
  readonly tool: { readonly id: string; readonly name: string; readonly text: string };
  /** What the vendor bills, if the answer is whole. */
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

/** Makes the answer of a vendor to a model `m-<number>`. */
export function answerOf(vendor: string, model: string): VendorAnswer {
  const number = Number(model.slice(2));
  return {
    ...{ id: `${vendor}-${number}`, model: `${model}-2026`, reasoning: 'Hm, 🤔' },
    texts: [`${vendor} `, `grüßt „${model}“ `, '👋\n', 'und ', 'geht.'],
    tool: { id: `call_${number}`, name: 'weather', text: '{"city":"Plzeň 🍺"}' },
    usage: { input_tokens: 20 + (number % 23), output_tokens: 5 + (number % 11) },
  };
}

/** Makes the outputs that a whole answer becomes. */
export function outputsOf({ id, model, reasoning, texts, tool, usage }: VendorAnswer, api: Api): ChatOutputs {
  const thought = [{ type: 'thinking', thinking: reasoning, signature: 'c2ln' }];
  const opaque = { adapter: orbAdapters.anthropic, data: JSON.stringify(thought) };
  return {
    ...{ model, sent_model: model.replace('-2026', ''), content: texts.join('') },
    reasoning: { text: reasoning, ...(api === 'anthropic' && { opaque }) },
    tool_calls: [{ id: tool.id, name: tool.name, arguments_text: tool.text }],
    ...{ finish_reason: 'tool_calls', provider_response_id: id, usage: { ...usage, source: 'vendor' } },
  };
}

/** Writes an answer as the events of a stream. */
export function eventsOfAnswer(answer: VendorAnswer, api: Api): readonly string[] {
  return api === 'openai' ? chunksOf(answer) : messageEventsOf(answer);
}

/** Writes an answer as one document. */
export function documentOf({ id, model, reasoning, texts, tool, usage }: VendorAnswer, api: Api): object {
  const content = texts.join('');
  if (api === 'openai') {
    const call = { id: tool.id, type: 'function', function: { name: tool.name, arguments: tool.text } };
    const message = { role: 'assistant', content, refusal: null, reasoning_content: reasoning, tool_calls: [call] };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'tool_calls' };
    return { id, object: 'chat.completion', created: 1, model, choices: [choice], usage: chatUsage(usage) };
  }
  return {
    ...{ id, type: 'message', role: 'assistant', model, stop_reason: 'tool_use', stop_sequence: null, usage },
    content: [
      { type: 'thinking', thinking: reasoning, signature: 'c2ln' },
      { type: 'text', text: content, citations: null },
      { type: 'tool_use', id: tool.id, name: tool.name, input: JSON.parse(tool.text) as object },
    ],
  };
}

const chatUsage = ({ input_tokens, output_tokens }: VendorAnswer['usage']) => ({
  ...{ prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: input_tokens + output_tokens },
});

const halves = (text: string): readonly string[] => [text.slice(0, 8), text.slice(8)];

function chunksOf({ id, model, reasoning, texts, tool, usage }: VendorAnswer): readonly string[] {
  const chunk = (choices: readonly object[], told: object | null = null): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model, choices, usage: told })}\n\n`;
  const delta = (piece: object, finish_reason: string | null = null): string =>
    chunk([{ index: 0, delta: piece, logprobs: null, finish_reason }]);
  const call = (piece: object): string => delta({ tool_calls: [{ index: 0, ...piece }] });
  return [
    delta({ role: 'assistant', content: '' }),
    delta({ reasoning_content: reasoning }),
    ...texts.map((content) => delta({ content })),
    call({ id: tool.id, type: 'function', function: { name: tool.name, arguments: '' } }),
    ...halves(tool.text).map((text) => call({ function: { arguments: text } })),
    delta({}, 'tool_calls'),
    chunk([], chatUsage(usage)),
    'data: [DONE]\n\n',
  ];
}

function messageEventsOf({ id, model, reasoning, texts, tool, usage }: VendorAnswer): readonly string[] {
  const event = (data: { readonly type: string; readonly [member: string]: unknown }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const start = (index: number, content_block: object) => event({ type: 'content_block_start', index, content_block });
  const delta = (index: number, piece: object) => event({ type: 'content_block_delta', index, delta: piece });
  const stop = (index: number) => event({ type: 'content_block_stop', index });
  const { input_tokens, output_tokens } = usage;
  const message = {
    ...{ id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null },
    usage: { input_tokens, output_tokens: 1 },
  };
  return [
    event({ type: 'message_start', message }),
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: reasoning }),
    delta(0, { type: 'signature_delta', signature: 'c2ln' }),
    stop(0),
    start(1, { type: 'text', text: '', citations: null }),
    ...texts.map((text) => delta(1, { type: 'text_delta', text })),
    stop(1),
    start(2, { type: 'tool_use', id: tool.id, name: tool.name, input: {} }),
    ...halves(tool.text).map((partial_json) => delta(2, { type: 'input_json_delta', partial_json })),
    stop(2),
    event({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens } }),
    event({ type: 'message_stop' }),
  ];
}
