import { defineCapability } from '../../kernel/adapter.ts';
import { imageTargets } from './shape/images.ts';

// The shape of calls of models, which the adapters here and the doors of plugins have in common.
export { candidatesFor, type CallProvider } from './shape/candidates.ts';
export { chatInputs, countInputs, embedInputs, modelName } from './shape/inputs.ts';
export type { ChatInputs, ChatMessage, ContentPart, CountInputs, EmbedInputs } from './shape/inputs.ts';
export { chatOutputs, countOutputs, embedOutputs, finishReasons, usage } from './shape/outputs.ts';
export type { ChatOutputs, CountOutputs, EmbedOutputs, FinishReason, Usage } from './shape/outputs.ts';
export { BrokenParts, ChatAssembler, partsOf } from './shape/parts.ts';
export type { ChatEnd, ChatPart, Opaque, ToolCallPart } from './shape/parts.ts';

// What costs input tokens.
const conversation = {
  messages: 'The conversation so far, oldest first',
  'messages.role': 'Who says it: system, developer, user, assistant, or tool for the result of a tool call',
  'messages.content': 'Text, or a list of parts: text, image, document, audio, refusal, reasoning',
  'messages.tool_calls': 'Of an assistant: the calls of tools that it made',
  'messages.tool_calls.id': 'Id of the call',
  'messages.tool_calls.name': 'Name of the tool',
  'messages.tool_calls.arguments_text': 'The arguments as the model wrote them',
  'messages.tool_call_id': 'Of a tool: the call that it answers',
  'messages.is_error': 'Of a tool: it failed',
  tools: 'Tools that the model may call',
  'tools.name': 'Name of the tool',
  'tools.description': 'What the tool does, for the model',
  'tools.input_schema': 'JSON Schema of the arguments',
  'tools.strict': 'The arguments must fit the schema',
  tool_choice: 'auto, none, required, or the name of the tool to call',
  parallel_tool_calls: 'The model may call several tools at once',
  response_format: 'Text, JSON, or JSON that fits a schema',
  reasoning_effort: 'How much the model thinks before it answers',
} as const;

/** The capability of llm.chat, llm.count and llm.embed: asks a language model. */
export const llm = defineCapability({
  name: 'llm',
  title: 'Ask language models',
  inputs: {
    model: 'The name under which the operator offers the model',
    ...conversation,
    max_output_tokens: 'Most tokens of the answer, reasoning included',
    temperature: 'How freely the model chooses its words: 0 to 2',
    top_p: 'The share of likely words among which the model chooses: 0 to 1',
    stop: 'Texts that end the answer',
    seed: 'For answers that can be repeated, where the model supports it',
    verbosity: 'How long the answer is',
    service_tier: 'Class of service of the vendor',
    vendor: 'Parameters by their name at the vendor; the operator lists those that are allowed',
    prompt: 'What is counted: messages, tools and what else of a call of llm.chat costs input tokens',
    ...Object.fromEntries(Object.entries(conversation).map(([name, words]) => [`prompt.${name}`, words])),
    input: 'A text, a list of texts, a list of tokens, or a list of lists of tokens',
    encoding_format: 'float: lists of numbers. base64: little-endian float32',
    dimensions: 'Length of the vectors',
  },
  parse: (inputs) => ({ images: imageTargets(inputs) }),
  // The smallest bound that all vendors take.
  sample: {
    ...{ orb: 'llm.chat', asks: ['model'] },
    inputs: (text) => ({
      messages: [{ role: 'user', content: `${text} Answer with one word.` }],
      max_output_tokens: 16,
    }),
  },
});
