import { compile } from '../../../../kernel/index.ts';
import type { VendorRequest } from '../../../helpers/vendor.ts';
import { bodyOf, type ModelReply } from './double.ts';

/** The key that the double takes. */
export const key = 'sk-ant-Test-0123456789abcdef';

const text = { type: 'string' } as const;
const some = { type: 'string', minLength: 1 } as const;
const closed = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const kind = (type: string) => ({ const: type });
const textBlock = closed({ type: kind('text'), text: some });
const base64 = closed({ type: kind('base64'), media_type: text, data: text });
const image = closed({ type: kind('image'), source: { anyOf: [base64, closed({ type: kind('url'), url: text })] } });
const plain = closed({ type: kind('text'), media_type: kind('text/plain'), data: text });
const document = closed({ type: kind('document'), title: text, source: { anyOf: [base64, plain] } }, [
  'type',
  'source',
]);
const result = closed(
  {
    ...{ type: kind('tool_result'), tool_use_id: text, is_error: { type: 'boolean' } },
    content: { anyOf: [text, { type: 'array', items: { anyOf: [textBlock, image] } }] },
  },
  ['type', 'tool_use_id'],
);
const asked = { type: 'array', minItems: 1, items: { anyOf: [textBlock, image, document, result] } };
const said = {
  type: 'array',
  minItems: 1,
  items: {
    anyOf: [
      closed({ type: kind('text'), text: { type: 'string', pattern: '\\S' } }),
      closed({ type: kind('tool_use'), id: text, name: text, input: { type: 'object' } }),
      closed({ type: kind('thinking'), thinking: text, signature: some }),
      closed({ type: kind('redacted_thinking'), data: some }),
    ],
  },
};
const members = {
  model: text,
  max_tokens: { type: 'integer', minimum: 1 },
  messages: {
    type: 'array',
    minItems: 1,
    items: {
      anyOf: [
        closed({ role: kind('user'), content: { anyOf: [some, asked] } }),
        closed({ role: kind('assistant'), content: said }),
      ],
    },
  },
  system: { type: 'array', minItems: 1, items: textBlock },
  tools: {
    type: 'array',
    items: closed(
      {
        ...{ name: text, description: text, strict: { type: 'boolean' } },
        input_schema: { type: 'object', required: ['type'], properties: { type: kind('object') } },
      },
      ['name', 'input_schema'],
    ),
  },
  tool_choice: {
    anyOf: [
      closed({ type: { enum: ['auto', 'any'] }, disable_parallel_tool_use: { type: 'boolean' } }, ['type']),
      closed({ type: kind('none') }),
      closed({ type: kind('tool'), name: text, disable_parallel_tool_use: { type: 'boolean' } }, ['type', 'name']),
    ],
  },
  stop_sequences: { type: 'array', items: text },
  thinking: closed({ type: { enum: ['adaptive', 'disabled'] } }),
  output_config: closed(
    {
      effort: { enum: ['low', 'medium', 'high', 'xhigh', 'max'] },
      format: closed({ type: kind('json_schema'), schema: { type: 'object' } }),
    },
    [],
  ),
  service_tier: { enum: ['auto', 'standard_only'] },
  stream: { type: 'boolean' },
};
const must = ['model', 'max_tokens', 'messages'];
const checks = {
  '2026-10-21': compile(closed(members, must)),
  '2023-06-01': compile(
    closed({ ...members, temperature: { type: 'number', minimum: 0, maximum: 1 }, top_p: { type: 'number' } }, must),
  ),
};

const { max_tokens: _, stop_sequences: __, service_tier: ___, stream: ____, ...counted } = members;
const countCheck = compile(closed(counted, ['model', 'messages']));

/** How many tokens the double counts in any conversation. */
export const tokensCounted = 2095;

/** The blocks that the double answers with. */
export const content = [
  { type: 'thinking', thinking: 'Hm, 🤔', signature: 'c2lnbmF0dXJl' },
  { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
  { type: 'text', text: 'Grüß „dich“ 👋\n', citations: null },
  { type: 'tool_use', id: 'toolu_a', name: 'weather', input: { city: 'Plzeň 🍺' } },
  { type: 'tool_use', id: 'toolu_b', name: 'time', input: {} },
] as const;

const started = {
  ...{ input_tokens: 10, cache_creation_input_tokens: 30, cache_read_input_tokens: 60, output_tokens: 1 },
  cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
  service_tier: 'standard',
};
const ended = { output_tokens: 12, output_tokens_details: { thinking_tokens: 5 } };
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-6-20261101' };

/** The answer as one document. */
export const message = {
  ...{ ...head, content, stop_reason: 'tool_use', stop_sequence: null },
  usage: { ...started, ...ended },
};

/** The outputs that follow from it. */
export const outputs = {
  model: head.model,
  sent_model: 'claude-6',
  content: 'Grüß „dich“ 👋\n',
  reasoning: {
    text: 'Hm, 🤔',
    opaque: { adapter: 'llm/anthropic', data: JSON.stringify(content.slice(0, 2)) },
  },
  tool_calls: [
    { id: 'toolu_a', name: 'weather', arguments_text: '{"city":"Plzeň 🍺"}' },
    { id: 'toolu_b', name: 'time', arguments_text: '{}' },
  ],
  finish_reason: 'tool_calls',
  provider_response_id: head.id,
  service_tier: 'standard',
  usage: {
    ...{ input_tokens: 100, cache_read_tokens: 60, cache_write_tokens: { '5m': 20, '1h': 10 } },
    ...{ output_tokens: 12, reasoning_tokens: 5, source: 'vendor' },
  },
};

const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function blockEvents(block: (typeof content)[number], index: number): string[] {
  const start = (content_block: object): string => event({ type: 'content_block_start', ...{ index, content_block } });
  const delta = (piece: object): string => event({ type: 'content_block_delta', ...{ index, delta: piece } });
  const stop = event({ type: 'content_block_stop', ...{ index } });
  switch (block.type) {
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...[...block.thinking].map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: block.signature }),
        stop,
      ];
    case 'text':
      return [
        start({ ...block, text: '' }),
        ...[...block.text].map((piece) => delta({ type: 'text_delta', text: piece })),
        stop,
      ];
    case 'tool_use': {
      const json = Object.keys(block.input).length === 0 ? '' : JSON.stringify(block.input);
      const pieces = ['', ...(json.match(/[^]{1,6}/gu) ?? [])];
      return [
        start({ ...block, input: {} }),
        ...pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ];
    }
    default:
      return [start(block), stop];
  }
}

/** The answer as a stream, with a ping and an event that no adapter knows. */
export function streamed(): string {
  const empty = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: started };
  return [
    event({ type: 'message_start', ...{ message: empty } }),
    event({ type: 'ping' }),
    ...content.flatMap(blockEvents),
    event({ type: 'novelty' }),
    event({ type: 'message_delta', ...{ delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: ended } }),
    event({ type: 'message_stop' }),
  ].join('');
}

const refused = (status: number, type: string, words: string): ModelReply => ({
  status,
  body: { type: 'error', error: { type, message: words }, request_id: 'req_1' },
});

/** Answers as Anthropic documents, and refuses what it does not document. */
export function anthropicContract(request: VendorRequest): ModelReply {
  const { headers, method, path } = request;
  const bearer = headers['authorization'] === `Bearer ${key}`;
  if (headers['x-api-key'] !== key && !bearer) return refused(401, 'authentication_error', `invalid x-api-key ${key}`);
  const check = checks[headers['anthropic-version'] as keyof typeof checks];
  if (check === undefined) return refused(400, 'invalid_request_error', 'anthropic-version');
  if (method === 'GET' && path === '/v1/models') return { status: 200, body: { data: [], has_more: false } };
  if (method === 'POST' && path === '/v1/messages/count_tokens') {
    const faults = countCheck(bodyOf(request));
    if (faults.length > 0) return refused(400, 'invalid_request_error', JSON.stringify(faults));
    return { status: 200, body: { input_tokens: tokensCounted } };
  }
  if (method !== 'POST' || path !== '/v1/messages') return refused(404, 'not_found_error', 'no such path');
  const body = bodyOf(request);
  const faults = check(body);
  if (faults.length > 0) return refused(400, 'invalid_request_error', JSON.stringify(faults));
  return body['stream'] === true ? { stream: streamed() } : { status: 200, body: message };
}
