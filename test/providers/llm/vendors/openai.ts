import { compile } from '../../../../kernel/index.ts';
import type { VendorRequest } from '../../../helpers/vendor.ts';
import { bodyOf, type ModelReply } from './double.ts';

/** The key that the double takes. */
export const key = 'sk-Test-0123456789abcdef';

const text = { type: 'string' } as const;
const closed = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const kind = (type: string) => ({ const: type });
const calls = {
  type: 'array',
  minItems: 1,
  items: closed({ id: text, type: kind('function'), function: closed({ name: text, arguments: text }) }),
};
const parts = {
  type: 'array',
  minItems: 1,
  items: {
    anyOf: [
      closed({ type: kind('text'), text }),
      closed({ type: kind('refusal'), refusal: text }),
      closed({
        type: kind('image_url'),
        image_url: closed({ url: text, detail: { enum: ['auto', 'low', 'high', 'original'] } }, ['url']),
      }),
      closed({ type: kind('input_audio'), input_audio: closed({ data: text, format: { enum: ['wav', 'mp3'] } }) }),
      closed({ type: kind('file'), file: closed({ filename: text, file_data: text }) }),
    ],
  },
};
const message = {
  anyOf: [
    closed({ role: { enum: ['system', 'developer', 'user'] }, content: { anyOf: [text, parts] } }),
    closed(
      {
        role: kind('assistant'),
        content: { anyOf: [text, parts, { type: 'null' }] },
        tool_calls: calls,
        refusal: text,
      },
      ['role'],
    ),
    closed({ role: kind('tool'), tool_call_id: text, content: text }),
  ],
};
const fn = closed({ name: text, description: text, parameters: { type: 'object' }, strict: { type: 'boolean' } }, [
  'name',
]);
const number = { type: 'number' } as const;
const whole = { type: 'integer' } as const;

const chat = compile(
  closed(
    {
      model: text,
      messages: { type: 'array', minItems: 1, items: message },
      tools: { type: 'array', minItems: 1, items: closed({ type: kind('function'), function: fn }) },
      tool_choice: {
        anyOf: [
          { enum: ['none', 'auto', 'required'] },
          closed({ type: kind('function'), function: closed({ name: text }) }),
        ],
      },
      parallel_tool_calls: { type: 'boolean' },
      max_completion_tokens: whole,
      temperature: number,
      top_p: number,
      stop: { type: 'array', items: text, maxItems: 4 },
      seed: whole,
      response_format: {
        anyOf: [
          closed({ type: { enum: ['json_object'] } }),
          closed({
            type: kind('json_schema'),
            json_schema: closed(
              { name: text, description: text, schema: { type: 'object' }, strict: { type: 'boolean' } },
              ['name'],
            ),
          }),
        ],
      },
      reasoning_effort: { enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] },
      verbosity: { enum: ['low', 'medium', 'high'] },
      service_tier: { enum: ['auto', 'default', 'flex', 'priority'] },
      stream: { type: 'boolean' },
      stream_options: closed({ include_usage: { type: 'boolean' } }),
      prompt_cache_key: text,
    },
    ['model', 'messages'],
  ),
);

const embeddings = compile(
  closed(
    {
      model: text,
      input: { anyOf: [text, { type: 'array', minItems: 1 }] },
      encoding_format: { enum: ['float', 'base64'] },
      dimensions: whole,
    },
    ['model', 'input'],
  ),
);

const usage = {
  prompt_tokens: 30,
  completion_tokens: 12,
  total_tokens: 42,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 5 },
};
const head = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'gpt-6-2026-11-01', service_tier: 'default' };

/** What the double answers: text with characters of every length, and two calls of tools. */
export const answered = {
  content: 'Grüß „dich“ 👋\n',
  reasoning: 'Hm, 🤔',
  calls: [
    { id: 'call_a', name: 'weather', arguments: '{"city":"Plzeň 🍺"}' },
    { id: 'call_b', name: 'time', arguments: '{}' },
  ],
};

/** The outputs that follow from it. */
export const outputs = {
  model: head.model,
  sent_model: 'gpt-6',
  content: answered.content,
  reasoning: { text: answered.reasoning },
  tool_calls: answered.calls.map(({ arguments: arguments_text, ...call }) => ({ ...call, arguments_text })),
  finish_reason: 'tool_calls',
  provider_response_id: head.id,
  service_tier: 'default',
  usage: {
    input_tokens: 30,
    cache_read_tokens: 0,
    output_tokens: 12,
    reasoning_tokens: 5,
    source: 'vendor',
  },
};

const calledTools = answered.calls.map(({ id, ...fields }) => ({ id, type: 'function', function: fields }));

/** The answer as one document. */
export const completion = {
  ...{ ...head, object: 'chat.completion', usage },
  choices: [
    {
      index: 0,
      message: {
        ...{ role: 'assistant', content: answered.content, refusal: null },
        ...{ reasoning_content: answered.reasoning, tool_calls: calledTools },
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ],
};

const line = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const chunk = (choices: readonly object[], more: object = {}): string =>
  line({ ...head, object: 'chat.completion.chunk', choices, usage: null, ...more });
const delta = (piece: object, finish_reason: string | null = null): string =>
  chunk([{ index: 0, delta: piece, logprobs: null, finish_reason }]);
const toolDelta = (index: number, piece: object): string => delta({ tool_calls: [{ index, ...piece }] });

/** The answer as a stream. */
export function streamed({ counted = true } = {}): string {
  return [
    // As Azure begins.
    chunk([]),
    delta({ role: 'assistant', content: '' }),
    ...[...answered.reasoning].map((reasoning_content) => delta({ reasoning_content })),
    ...[...answered.content].map((content) => delta({ content })),
    ...answered.calls.flatMap(({ arguments: args, id, name }, index) => [
      toolDelta(index, { id, type: 'function', function: { name, arguments: '' } }),
      ...(args.match(/[^]{1,6}/gu) ?? []).map((piece) => toolDelta(index, { function: { arguments: piece } })),
    ]),
    delta({}, 'tool_calls'),
    ...(counted ? [chunk([], { usage })] : []),
    line('[DONE]'),
  ].join('');
}

const refused = (status: number, code: string, message: string): ModelReply => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code } },
});

/** Answers as OpenAI documents, and refuses what it does not document. */
export function openaiContract(request: VendorRequest): ModelReply {
  const { headers, method, path } = request;
  if (headers['authorization'] !== `Bearer ${key}`) return refused(401, 'invalid_api_key', `Incorrect key: ${key}`);
  if (method === 'GET' && path === '/v1/models') return { status: 200, body: { object: 'list', data: [] } };
  if (method !== 'POST') return refused(404, 'not_found', 'no such path');
  if (headers['content-type'] !== 'application/json') return refused(400, 'invalid_json', 'no JSON');
  const body = bodyOf(request);
  const faults = path === '/v1/embeddings' ? embeddings(body) : chat(body);
  if (faults.length > 0) return refused(400, 'invalid_value', JSON.stringify(faults));
  if (path === '/v1/embeddings') return embedded(body);
  if (path !== '/v1/chat/completions') return refused(404, 'not_found', 'no such path');
  if (body['stream'] !== true) return { status: 200, body: completion };
  const { include_usage: counted = false } = (body['stream_options'] ?? {}) as { include_usage?: boolean };
  return { stream: streamed({ counted }) };
}

/** The vectors of the double: of each text, its place and a half. */
function embedded({ input, encoding_format, model }: Record<string, unknown>): ModelReply {
  const one = typeof input === 'string' || typeof (input as unknown[])[0] === 'number';
  const list = one ? [input] : (input as unknown[]);
  const data = list.map((_, index) => {
    const vector = [index, 0.5];
    const bytes = Buffer.from(Float32Array.from(vector).buffer).toString('base64');
    return { object: 'embedding', index, embedding: encoding_format === 'base64' ? bytes : vector };
  });
  const counted = { prompt_tokens: 3, total_tokens: 3 };
  return { status: 200, body: { object: 'list', data: data.reverse(), model, usage: counted } };
}
