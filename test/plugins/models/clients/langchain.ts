import {
  HumanMessage,
  ToolMessage,
  type AIMessageChunk,
  type BaseMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import type { Ask, Raised, StockClient } from './client.ts';
import { openai, raised } from './openai.ts';
import { telling, type Telling } from './telling.ts';

/** npm `@langchain/openai`. */
export const langchain: StockClient = {
  ...openai,
  name: 'npm @langchain/openai',
  repeatsAll: true,
  errors: { ...openai.errors, left: 'AbortError' },
  ask: (ask, signal) => telling((told) => converse(ask, signal, told), raisedHere),
  async embed({ key, model, url }, text) {
    const configuration = { baseURL: `${url}/v1` };
    return new OpenAIEmbeddings({ apiKey: key, model, configuration, maxRetries: 0 }).embedQuery(text);
  },
};

// The errors are those of `openai`, but this one.
function raisedHere(error: Error): Raised {
  const { name: type } = error;
  return type === 'AbortError' ? { type, status: null, code: null } : raised(error);
}

async function converse(ask: Ask, signal: AbortSignal, told: Telling): Promise<void> {
  const leaving = new AbortController();
  const options = { signal: AbortSignal.any([signal, leaving.signal]) };
  const chat = new ChatOpenAI({
    ...{ apiKey: ask.key, model: ask.model, maxTokens: 100, maxRetries: ask.retries },
    configuration: { baseURL: `${ask.url}/v1` },
  });
  const tooled = ask.tools.length === 0 ? chat : chat.bindTools(ask.tools.map(toolOf));
  const model = ask.schema === undefined ? tooled : tooled.withConfig({ response_format: formatOf(ask.schema) });
  const messages: BaseMessage[] = [new HumanMessage({ content: contentOf(ask) })];
  for (;;) {
    const answer = ask.stream ? await streamed() : await model.invoke(messages, options);
    if (answer === undefined) return;
    told.text = answer.text;
    told.finish = String(answer.response_metadata['finish_reason']);
    // Its types say that there is none.
    const usage = Reflect.get(answer, 'usage_metadata') as UsageMetadata | undefined;
    told.usage = usage === undefined ? null : [usage.input_tokens, usage.output_tokens];
    const calls = answer.tool_calls ?? [];
    for (const { args, id = '', name } of calls) told.call(id, name, args);
    if (calls.length === 0) return;
    messages.push(answer, ...calls.map(({ id = '' }) => new ToolMessage({ content: 'ok', tool_call_id: id })));
  }

  async function streamed(): Promise<AIMessageChunk | undefined> {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await model.stream(messages, options)) {
      whole = whole === undefined ? chunk : whole.concat(chunk);
      told.piece(chunk.text);
      if (!ask.leaves || chunk.text === '') continue;
      leaving.abort();
      return undefined;
    }
    return whole;
  }
}

function contentOf({ image, question }: Ask) {
  if (image === undefined) return question;
  const url = `data:image/png;base64,${image}`;
  return [
    { type: 'text', text: question },
    { type: 'image_url', image_url: { url } },
  ];
}

function formatOf(schema: object) {
  return { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: { ...schema } } } as const;
}

function toolOf(name: string) {
  return { type: 'function', function: { name, parameters: { type: 'object' } } } as const;
}
