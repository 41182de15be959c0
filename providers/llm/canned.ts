import { setTimeout as pause } from 'node:timers/promises';
import { defineProvider, exactly, optional, ProviderError, type ExecuteContext } from '../../kernel/adapter.ts';
import { ChatAssembler, llm, type ChatInputs, type ChatOutputs, type EmbedInputs, type Usage } from './contract.ts';
import { partsOf, type ChatPart } from './shape/parts.ts';
import { usage } from './shape/outputs.ts';
import { toolCall } from './shape/inputs.ts';
import { askedOf, uncounted } from './shape/kinds.ts';

const count = (title: string) => optional({ type: 'integer', title, minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const counts = {
  input_tokens: count('Tokens of the request, cached ones included'),
  cache_read_tokens: count('Tokens that were read from a cache'),
  cache_write_tokens: optional({
    ...usage.properties.cache_write_tokens,
    title: 'Tokens that were written to a cache, by how long it keeps them',
  }),
  output_tokens: count('Tokens of the answer, those of reasoning included'),
  reasoning_tokens: count('Tokens of reasoning'),
};
const text = { type: 'string', maxLength: 1_000_000 } as const;

const { id, name, arguments_text } = toolCall.properties;
const call = exactly({
  id: { ...id, title: 'Id of the call' },
  name: { ...name, title: 'Name of the tool' },
  arguments_text: { ...arguments_text, title: 'Arguments, as text of JSON' },
});

const answer = exactly({
  contains: optional({
    ...text,
    title: 'Text that the last message contains',
    description: 'The first answer whose text the message contains is given; one without it fits any message.',
  }),
  content: { ...text, title: 'Text of the answer' },
  reasoning: optional({ ...text, title: 'Text of its reasoning' }),
  tool_calls: optional({ type: 'array', title: 'Calls of tools', maxItems: 16, items: call }),
  usage: optional({ ...exactly(counts), title: 'What the answer tells of tokens' }),
});

const config = exactly({
  answers: optional({ type: 'array', title: 'Answers', minItems: 1, maxItems: 256, items: answer }),
  part_length: optional({ type: 'integer', title: 'Characters of a part', minimum: 1, maximum: 10_000, default: 16 }),
  delay_ms: optional({ type: 'integer', title: 'Pause before each part', minimum: 0, maximum: 60_000, default: 0 }),
  dimensions: optional({ type: 'integer', title: 'Length of a vector', minimum: 1, maximum: 4096, default: 8 }),
});

const usual = { content: 'This is a canned answer.' };

/** Gives answers that its configuration has, without a model; nothing leaves the process. */
export default defineProvider({
  name: 'canned',
  capability: llm,
  about: 'Returns answers that you write down, without a model.',
  config,
  sandbox: true,
  open: ({ config: { answers = [usual], delay_ms, dimensions, part_length } }) => ({
    async execute(given, context) {
      if (context.signal.aborted)
        throw new ProviderError('not_sent', 'the deadline passed before the call', { phase: 'deadline' });
      const { kind, inputs } = askedOf(given);
      if (kind === 'embed') return embedded(inputs, dimensions);
      const found = answerFor(kind === 'chat' ? inputs.messages : inputs.prompt.messages, answers);
      if (kind === 'count') return counted(found, inputs.model);
      return { ...(await streamed(outputsOf(found, inputs.model), { context, delay_ms, part_length })) };
    },
  }),
});

interface Answer {
  readonly contains?: string;
  readonly content: string;
  readonly reasoning?: string;
  readonly tool_calls?: ChatOutputs['tool_calls'];
  readonly usage?: Omit<Usage, 'source'>;
}

function answerFor(messages: ChatInputs['messages'], answers: readonly Answer[]): Answer {
  const last = JSON.stringify(messages.at(-1)?.content ?? '').toLowerCase();
  const found = answers.find(({ contains = '' }) => last.includes(contains.toLowerCase()));
  if (found === undefined) throw new ProviderError('rejected', 'no canned answer fits the last message');
  return found;
}

function counted({ usage: told }: Answer, model: string): Record<string, unknown> {
  if (told?.input_tokens === undefined) throw uncounted('a canned answer without `usage.input_tokens`');
  return { model, input_tokens: told.input_tokens };
}

function outputsOf({ content, reasoning, tool_calls = [], usage: told }: Answer, model: string): ChatOutputs {
  return {
    ...{ model, sent_model: model, content, tool_calls },
    ...(reasoning !== undefined && { reasoning: { text: reasoning } }),
    finish_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop',
    usage: told === undefined ? { source: 'absent' } : { ...told, source: 'vendor' },
  };
}

interface Pace {
  readonly context: ExecuteContext;
  readonly delay_ms: number;
  readonly part_length: number;
}

async function streamed(outputs: ChatOutputs, { context, delay_ms, part_length }: Pace): Promise<ChatOutputs> {
  const assembler = new ChatAssembler();
  for (const part of partsOf(outputs).flatMap((whole) => pieces(whole, part_length))) {
    if (delay_ms > 0) await pause(delay_ms, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.aborted) throw new ProviderError('unknown', 'the deadline passed', { phase: 'deadline' });
    assembler.add(part);
    await context.emit?.({ ...part });
  }
  const { model, sent_model = model, finish_reason } = outputs;
  return assembler.outputs({ model, sent_model, finish_reason });
}

function pieces(part: ChatPart, length: number): readonly ChatPart[] {
  if (part.type === 'usage' || part.type === 'refusal') return [part];
  if (part.type === 'tool_call') {
    const { arguments_text = '', ...first } = part;
    const args = cut(arguments_text, length);
    return [first, ...args.map((piece) => ({ type: part.type, index: part.index, arguments_text: piece }))];
  }
  return cut(part.text ?? '', length).map((piece) => ({ type: part.type, text: piece }));
}

function cut(whole: string, length: number): readonly string[] {
  const characters = [...whole];
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, at) => characters.slice(at * length, (at + 1) * length).join(''));
}

// Equal texts have equal vectors; they mean nothing else.
function embedded({ encoding_format, input, model }: EmbedInputs, dimensions: number): Record<string, unknown> {
  const one = typeof input === 'string' || typeof input[0] === 'number';
  const vectors = (one ? [input] : (input as readonly unknown[])).map((item) =>
    vectorOf(JSON.stringify(item), dimensions),
  );
  const embeddings = encoding_format === 'base64' ? vectors.map(base64) : vectors;
  return { model, sent_model: model, embeddings, usage: { source: 'absent' } };
}

function vectorOf(item: string, dimensions: number): readonly number[] {
  const sums = new Array<number>(dimensions).fill(0);
  [...item].forEach((character, at) => {
    sums[at % dimensions] = (sums[at % dimensions] ?? 0) + (character.codePointAt(0) ?? 0);
  });
  const length = Math.hypot(...sums) || 1;
  return sums.map((sum) => Math.fround(sum / length));
}

function base64(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}
