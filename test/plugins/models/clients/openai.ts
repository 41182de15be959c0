import OpenAI, { APIError } from 'openai';
import type { Ask, Raised, StockClient } from './client.ts';
import { telling, type Telling } from './telling.ts';

type Messages = OpenAI.ChatCompletionMessageParam[];

const clientOf = ({ url, key }: Pick<Ask, 'key' | 'url'>, maxRetries = 0): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries });

/** npm `openai`. */
export const openai: StockClient = {
  name: 'npm openai',
  door: 'openai',
  finishes: { whole: 'stop', calls: 'tool_calls' },
  errors: {
    unauthenticated: 'AuthenticationError',
    forbidden: 'PermissionDeniedError',
    missing: 'NotFoundError',
    rejected: 'BadRequestError',
    spent: 'RateLimitError',
    failed: 'InternalServerError',
    unavailable: 'InternalServerError',
    interrupted: 'APIError',
    left: 'APIUserAbortError',
  },
  ask: (ask, signal) => telling((told) => converse(ask, signal, told), raised),
  async embed(ask, text) {
    const { data } = await clientOf(ask).embeddings.create({ model: ask.model, input: text });
    return data[0]?.embedding ?? [];
  },
};

/** Tells what an error of this client, or of one that is built on it, says. */
export function raised(error: Error): Raised {
  const { status, code } = error instanceof APIError ? error : { status: null, code: null };
  return { type: error.constructor.name, status: status ?? null, code: code ?? null };
}

async function converse(ask: Ask, signal: AbortSignal, told: Telling): Promise<void> {
  const client = clientOf(ask, ask.retries);
  const messages: Messages = [{ role: 'user', content: contentOf(ask) }];
  for (;;) {
    const answer = await (ask.stream ? streamed : whole)(client, ask, { messages, signal, told });
    if (answer === undefined) return;
    const [choice] = answer.choices;
    told.text = choice?.message.content ?? '';
    told.finish = choice?.finish_reason ?? '';
    told.usage = answer.usage ? [answer.usage.prompt_tokens, answer.usage.completion_tokens] : null;
    const calls = choice?.message.tool_calls?.filter((call) => call.type === 'function') ?? [];
    if (choice === undefined) return;
    for (const { id, function: fn } of calls) told.call(id, fn.name, JSON.parse(fn.arguments));
    if (ask.tools.length === 0 || calls.length === 0) return;
    messages.push(
      choice.message,
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' }) as const),
    );
  }
}

interface Turn {
  readonly messages: Messages;
  readonly signal: AbortSignal;
  readonly told: Telling;
}

function contentOf({ image, question }: Ask): string | OpenAI.ChatCompletionContentPart[] {
  if (image === undefined) return question;
  return [
    { type: 'text', text: question },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
  ];
}

const bodyOf = ({ model, schema, tools }: Ask, messages: Messages) => ({
  ...{ model, messages, max_completion_tokens: 100 },
  ...(schema !== undefined && {
    response_format: {
      ...{ type: 'json_schema' as const, json_schema: { name: 'answer', strict: true, schema: { ...schema } } },
    },
  }),
  ...(tools.length > 0 && {
    tools: tools.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }) as const),
  }),
});

async function whole(client: OpenAI, ask: Ask, { messages, signal }: Turn): Promise<OpenAI.ChatCompletion> {
  return client.chat.completions.create(bodyOf(ask, messages), { signal });
}

async function streamed(client: OpenAI, ask: Ask, turn: Turn): Promise<OpenAI.ChatCompletion | undefined> {
  const { messages, signal, told } = turn;
  const body = { ...bodyOf(ask, messages), stream_options: { include_usage: true } };
  const stream = client.chat.completions.stream(body, { signal });
  for await (const chunk of stream) {
    const text = chunk.choices[0]?.delta.content;
    told.piece(text);
    if (!ask.leaves || typeof text !== 'string' || text === '') continue;
    stream.abort();
    return undefined;
  }
  return stream.finalChatCompletion();
}
