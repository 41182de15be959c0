import { expect } from 'chai';
import type { PlatformError } from '../../../../kernel/index.ts';
import { countRequest, messagesRequest } from '../../../../plugins/models/anthropic/request.ts';
import { Member } from '../../../../plugins/models/wire/member.ts';
import { signatureOf } from '../../../../plugins/models/wire/opaque.ts';

const hi = [{ role: 'user', content: 'hi' }];
const read = (body: object) => messagesRequest(new Member({ model: 'm', max_tokens: 9, messages: hi, ...body }));
const cached = { cache_control: { type: 'ephemeral' } };

const accepted: readonly { readonly name: string; readonly body: object; readonly inputs: object }[] = [
  { name: 'a text', body: { metadata: { user_id: 'u' }, mcp_servers: [], speed: 'standard', ...cached }, inputs: {} },
  {
    name: 'a system prompt of blocks, which is the first message',
    body: { system: [{ type: 'text', text: 'be brief', ...cached }] },
    inputs: { messages: [{ role: 'system', content: [{ type: 'text', text: 'be brief' }] }, ...hi] },
  },
  {
    name: 'parameters of sampling',
    body: { temperature: 0.5, top_p: 0.9, stop_sequences: ['END'], service_tier: 'auto' },
    inputs: { temperature: 0.5, top_p: 0.9, stop: ['END'], service_tier: 'auto' },
  },
  {
    name: 'tools',
    body: {
      tools: [{ type: 'custom', name: 'look', description: 'Looks', input_schema: { type: 'object' }, ...cached }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    },
    inputs: {
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
  },
  {
    name: 'one tool that is to be called',
    body: { tool_choice: { type: 'tool', name: 'look' } },
    inputs: { tool_choice: { name: 'look' } },
  },
  {
    name: 'a level of effort',
    body: { output_config: { effort: 'max' }, thinking: { type: 'adaptive' } },
    inputs: { reasoning_effort: 'max' },
  },
  {
    name: 'thinking by a number of tokens',
    body: { thinking: { type: 'enabled', budget_tokens: 10_000 } },
    inputs: { reasoning_effort: 'medium' },
  },
  { name: 'no thinking', body: { thinking: { type: 'disabled' } }, inputs: { reasoning_effort: 'none' } },
  {
    name: 'a JSON schema',
    body: { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    inputs: { response_format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true } },
  },
  {
    name: 'the results of tools before what the user says',
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'and?' },
            { type: 'tool_result', tool_use_id: 't1', content: 'found', is_error: true, ...cached },
            { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'more' }] },
          ],
        },
      ],
    },
    inputs: {
      messages: [
        { role: 'tool', tool_call_id: 't1', content: 'found', is_error: true },
        { role: 'tool', tool_call_id: 't2', content: [{ type: 'text', text: 'more' }] },
        { role: 'user', content: [{ type: 'text', text: 'and?' }] },
      ],
    },
  },
  {
    name: 'thinking with its signature, and calls of tools',
    body: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'redacted_thinking', data: signatureOf({ adapter: 'gemini', data: 'g' }) },
            { type: 'text', text: 'so', citations: null },
            { type: 'tool_use', id: 't1', name: 'look', input: { a: 1 }, caller: { type: 'direct' } },
          ],
        },
      ],
    },
    inputs: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm', opaque: { adapter: 'anthropic', data: 'sig' } },
            { type: 'reasoning', opaque: { adapter: 'gemini', data: 'g' } },
            { type: 'text', text: 'so' },
          ],
          tool_calls: [{ id: 't1', name: 'look', arguments_text: '{"a":1}' }],
        },
      ],
    },
  },
  {
    name: 'pictures and documents',
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } },
            { type: 'document', title: 'a', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
          ],
        },
      ],
    },
    inputs: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', media_type: 'image/png', data_base64: 'AAAA' },
            { type: 'image', url: 'https://a.example/x.png' },
            { type: 'document', media_type: 'application/pdf', data_base64: 'BBBB', name: 'a' },
            { type: 'document', media_type: 'text/plain', data_base64: 'aGk=' },
          ],
        },
      ],
    },
  },
];

const keepsAll = { edits: [{ keep: 'all', type: 'clear_thinking_20251015' }] };

const refused: readonly { readonly body: object; readonly code: string; readonly param: string }[] = [
  { body: { max_tokens: undefined }, code: 'invalid_body', param: '#/max_tokens' },
  { body: { top_k: 5 }, code: 'unsupported_parameter', param: '#/top_k' },
  { body: { container: 'c' }, code: 'unsupported_parameter', param: '#/container' },
  { body: { mcp_servers: [{ url: 'x' }] }, code: 'unsupported_parameter', param: '#/mcp_servers' },
  {
    body: { context_management: { edits: [...keepsAll.edits, { type: 'clear_tool_uses_20250919' }] } },
    code: 'unsupported_parameter',
    param: '#/context_management/edits/1',
  },
  {
    body: { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
    code: 'unsupported_parameter',
    param: '#/context_management/edits/0',
  },
  {
    body: { context_management: { enabled: true } },
    code: 'unknown_parameter',
    param: '#/context_management/enabled',
  },
  { body: { maxtokens: 5 }, code: 'unknown_parameter', param: '#/maxtokens' },
  {
    body: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    code: 'unsupported_parameter',
    param: '#/tools/0/type',
  },
  { body: { thinking: { type: 'enabled' } }, code: 'invalid_body', param: '#/thinking/budget_tokens' },
  {
    body: { messages: [{ role: 'user', content: [{ type: 'tool_use' }] }] },
    code: 'unsupported_parameter',
    param: '#/messages/0/content/0/type',
  },
  { body: { messages: [{ role: 'tool', content: 'x' }] }, code: 'invalid_body', param: '#/messages/0/role' },
  { body: { system: [{ type: 'image' }] }, code: 'unsupported_parameter', param: '#/system/0/type' },
  {
    body: { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
    code: 'unsupported_parameter',
    param: '#/messages/0/content/0/source/type',
  },
  {
    body: { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: '{}' }] }] },
    code: 'invalid_body',
    param: '#/messages/0/content/0/input',
  },
];

describe('a request for a message', () => {
  for (const { name, body, inputs } of accepted)
    it(`is read with ${name}`, () => {
      expect(read(body).inputs).to.deep.equal({ model: 'm', messages: hi, max_output_tokens: 9, ...inputs });
    });

  for (const { body, code, param } of refused)
    it(`is refused by ${code} for ${param} of ${JSON.stringify(body)}`, () => {
      try {
        read(body);
      } catch (error) {
        const { code: own, extensions } = error as PlatformError;
        expect([own, extensions.errors?.[0]?.pointer]).to.deep.equal([code, param]);
        return;
      }
      expect.fail('it was accepted');
    });

  it('may ask to clear nothing from the context, as Claude Code does, also where tokens are counted', () => {
    for (const context_management of [keepsAll, { edits: [] }, {}, null]) {
      expect(read({ context_management }).inputs).to.deep.equal({ model: 'm', messages: hi, max_output_tokens: 9 });
      const counted = countRequest(new Member({ model: 'm', messages: hi, context_management }));
      expect(counted).to.deep.equal({ model: 'm', messages: hi });
    }
  });

  it('to count tokens needs no limit and takes no stream', () => {
    const body = { model: 'm', messages: hi };
    expect(countRequest(new Member(body))).to.deep.equal(body);
    expect(() => countRequest(new Member({ ...body, stream: true }))).to.throw('stream is unknown');
  });
});
