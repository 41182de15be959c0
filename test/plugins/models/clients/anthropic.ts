import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type { Ask, Raised, StockClient } from './client.ts';
import { telling, type Telling } from './telling.ts';

/** npm `@anthropic-ai/sdk`. */
export const anthropic: StockClient = {
  name: 'npm @anthropic-ai/sdk',
  door: 'anthropic',
  finishes: { whole: 'end_turn', calls: 'tool_use' },
  errors: {
    unauthenticated: 'AuthenticationError',
    forbidden: 'PermissionDeniedError',
    missing: 'NotFoundError',
    rejected: 'BadRequestError',
    spent: 'RateLimitError',
    failed: 'InternalServerError',
    unavailable: 'OverloadedError',
    interrupted: 'APIError',
    left: 'APIUserAbortError',
  },
  ask: (ask, signal) => telling((told) => converse(ask, signal, told), raised),
};

interface Body {
  readonly error?: { readonly details?: { readonly error_code?: string } };
}

function raised(error: Error): Raised {
  if (!(error instanceof APIError)) return { type: error.constructor.name, status: null, code: null };
  const { error: body, status = null } = error as APIError & { readonly error: Body | undefined };
  return { type: error.constructor.name, status, code: body?.error?.details?.error_code ?? null };
}

async function converse(ask: Ask, signal: AbortSignal, told: Telling): Promise<void> {
  const client = new Anthropic({ baseURL: ask.url, apiKey: ask.key, maxRetries: ask.retries });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: contentOf(ask) }];
  for (;;) {
    const body = {
      ...{ model: ask.model, max_tokens: 100, messages },
      ...(ask.schema !== undefined && {
        output_config: { format: { type: 'json_schema' as const, schema: { ...ask.schema } } },
      }),
      ...(ask.tools.length > 0 && {
        tools: ask.tools.map((name) => ({ name, input_schema: { type: 'object' as const } })),
      }),
    };
    const answer = ask.stream
      ? await streamed(client.messages.stream(body, { signal }), ask, told)
      : await client.messages.create(body, { signal });
    if (answer === undefined) return;
    told.text = answer.content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
    told.finish = answer.stop_reason ?? '';
    told.usage = [answer.usage.input_tokens, answer.usage.output_tokens];
    const calls = answer.content.filter((block) => block.type === 'tool_use');
    for (const { id, name, input } of calls) told.call(id, name, input);
    if (ask.tools.length === 0 || calls.length === 0) return;
    messages.push(
      { role: 'assistant', content: answer.content },
      { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })) },
    );
  }
}

function contentOf({ image, question }: Ask): string | Anthropic.ContentBlockParam[] {
  if (image === undefined) return question;
  return [
    { type: 'text', text: question },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
  ];
}

async function streamed(
  stream: ReturnType<Anthropic['messages']['stream']>,
  { leaves }: Ask,
  told: Telling,
): Promise<Anthropic.Message | undefined> {
  stream.on('text', (text: string) => {
    told.piece(text);
    if (leaves) stream.abort();
  });
  if (!leaves) return stream.finalMessage();
  await stream.done().catch(() => undefined);
  return undefined;
}
