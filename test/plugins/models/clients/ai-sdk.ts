import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  embed,
  generateText,
  jsonSchema,
  Output,
  RetryError,
  stepCountIs,
  StreamProviderError,
  streamText,
  tool,
} from 'ai';
import type { Ask, Raised, StockClient } from './client.ts';
import { telling, type Telling } from './telling.ts';

const providerOf = ({ key, url }: Pick<Ask, 'key' | 'url'>) =>
  createOpenAICompatible({
    name: 'orb',
    baseURL: `${url}/v1`,
    apiKey: key,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });

/** npm `ai` with `@ai-sdk/openai-compatible`. */
export const aiSdk: StockClient = {
  name: 'npm ai with @ai-sdk/openai-compatible',
  door: 'openai',
  finishes: { whole: 'stop', calls: 'tool-calls' },
  repeatsAll: true,
  errors: {
    unauthenticated: 'AI_APICallError',
    forbidden: 'AI_APICallError',
    missing: 'AI_APICallError',
    rejected: 'AI_APICallError',
    spent: 'AI_APICallError',
    failed: 'AI_APICallError',
    unavailable: 'AI_APICallError',
    interrupted: 'AI_StreamProviderError',
    left: 'AbortError',
  },
  ask: (ask, signal) => telling((told) => converse(ask, signal, told), raised),
  async embed(ask, text) {
    const { embedding } = await embed({ model: providerOf(ask).embeddingModel(ask.model), value: text, maxRetries: 0 });
    return embedding;
  },
};

function raised(error: Error): Raised {
  if (RetryError.isInstance(error) && error.lastError instanceof Error) return raised(error.lastError);
  if (StreamProviderError.isInstance(error))
    return { type: error.name, status: error.statusCode ?? null, code: String(error.code) };
  if (!APICallError.isInstance(error)) return { type: error.name, status: null, code: null };
  const { error: body } = JSON.parse(error.responseBody ?? '{}') as { readonly error?: { readonly code?: string } };
  return { type: error.name, status: error.statusCode ?? null, code: body?.code ?? null };
}

function contentOf({ image, question }: Ask) {
  const picture = image === undefined ? [] : [{ type: 'file' as const, data: image, mediaType: 'image/png' }];
  return [{ type: 'text' as const, text: question }, ...picture];
}

async function converse(ask: Ask, signal: AbortSignal, told: Telling): Promise<void> {
  const leaving = new AbortController();
  const asked = {
    ...{ model: providerOf(ask)(ask.model), maxOutputTokens: 100, maxRetries: ask.retries },
    messages: [{ role: 'user' as const, content: contentOf(ask) }],
    ...(ask.schema !== undefined && { output: Output.object({ name: 'answer', schema: jsonSchema(ask.schema) }) }),
    tools: Object.fromEntries(
      ask.tools.map((name) => [name, tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'ok' })]),
    ),
    ...{ stopWhen: stepCountIs(5), abortSignal: AbortSignal.any([signal, leaving.signal]) },
  };
  const answer = ask.stream ? await streamed() : await generateText(asked);
  if (answer === undefined) return;
  const steps = await answer.steps;
  for (const { toolCalls } of steps)
    for (const { input, toolCallId, toolName } of toolCalls) told.call(toolCallId, toolName, input);
  told.text = await answer.text;
  told.finish = await answer.finishReason;
  const { inputTokens, outputTokens } = steps.at(-1)?.usage ?? {};
  told.usage = inputTokens === undefined || outputTokens === undefined ? null : [inputTokens, outputTokens];

  async function streamed() {
    const stream = streamText({ ...asked, onError: () => undefined });
    for await (const part of stream.fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type !== 'text-delta') continue;
      told.piece(part.text);
      if (!ask.leaves) continue;
      leaving.abort();
      return undefined;
    }
    return stream;
  }
}
