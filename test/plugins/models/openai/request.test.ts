import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/index.ts';
import { completionRequest } from '../../../../plugins/models/openai/request.ts';
import { Member } from '../../../../plugins/models/wire/member.ts';

const hi = [{ role: 'user', content: 'hi' }];
const read = (body: unknown) => completionRequest(new Member(body));
const tool = {
  type: 'function',
  function: { name: 'look', description: 'Looks', parameters: { type: 'object' }, strict: true },
};
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a": 1.0}' } };

const accepted: readonly { readonly name: string; readonly body: object; readonly inputs: object }[] = [
  { name: 'a text', body: {}, inputs: {} },
  {
    name: 'nulls and hints that change no answer',
    body: {
      ...{
        user: 'u',
        metadata: { a: 'b' },
        safety_identifier: 's',
        prompt_cache_key: 'k',
        store: false,
        n: 1,
        audio: null,
      },
      ...{
        logprobs: false,
        presence_penalty: 0,
        frequency_penalty: 0,
        logit_bias: {},
        modalities: ['text'],
        stop: null,
      },
    },
    inputs: {},
  },
  {
    name: 'parameters of sampling',
    body: { temperature: 0.5, top_p: 0.9, seed: 7, stop: 'END', max_completion_tokens: 10, max_tokens: 20 },
    inputs: { temperature: 0.5, top_p: 0.9, seed: 7, stop: ['END'], max_output_tokens: 10 },
  },
  {
    name: 'the old name of the limit',
    body: { max_tokens: 20, stop: ['a', 'b'] },
    inputs: { max_output_tokens: 20, stop: ['a', 'b'] },
  },
  {
    name: 'tools',
    body: { tools: [tool], tool_choice: { type: 'function', function: { name: 'look' } }, parallel_tool_calls: false },
    inputs: {
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' }, strict: true }],
      tool_choice: { name: 'look' },
      parallel_tool_calls: false,
    },
  },
  { name: 'empty lists, which ask for nothing', body: { tools: [], stop: [] }, inputs: {} },
  {
    name: 'a JSON schema',
    body: {
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
    },
    inputs: { response_format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
  },
  {
    name: 'any JSON',
    body: { response_format: { type: 'json_object' } },
    inputs: { response_format: { type: 'json' } },
  },
  {
    name: 'levels and settings of a vendor',
    body: {
      reasoning_effort: 'low',
      verbosity: 'high',
      service_tier: 'flex',
      tool_choice: 'required',
      vendor: { a: 1 },
    },
    inputs: {
      reasoning_effort: 'low',
      verbosity: 'high',
      service_tier: 'flex',
      tool_choice: 'required',
      vendor: { a: 1 },
    },
  },
  {
    name: 'parts of all kinds',
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'https://a.example/x.png', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,CCCC', filename: 'a.pdf' } },
          ],
        },
      ],
    },
    inputs: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', url: 'https://a.example/x.png', detail: 'low' },
            { type: 'image', media_type: 'image/png', data_base64: 'AAAA' },
            { type: 'audio', format: 'wav', data_base64: 'BBBB' },
            { type: 'document', media_type: 'application/pdf', data_base64: 'CCCC', name: 'a.pdf' },
          ],
        },
      ],
    },
  },
  {
    name: 'a turn with a tool; the text of its arguments stays as it is',
    body: {
      messages: [
        ...hi,
        { role: 'assistant', content: null, refusal: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
      ],
    },
    inputs: {
      messages: [
        ...hi,
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'look', arguments_text: '{"a": 1.0}' }] },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
      ],
    },
  },
  {
    name: 'reasoning and a signature that go back to their vendor',
    body: {
      messages: [
        {
          role: 'assistant',
          content: 'so',
          reasoning_content: 'hm',
          tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'sig' } } }],
        },
      ],
    },
    inputs: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm', opaque: { adapter: 'gemini', data: 'sig' } },
            { type: 'text', text: 'so' },
          ],
          tool_calls: [{ id: 'c1', name: 'look', arguments_text: '{"a": 1.0}' }],
        },
      ],
    },
  },
];

const refused: readonly { readonly body: object; readonly code: string; readonly param: string }[] = [
  { body: { n: 2 }, code: 'unsupported_parameter', param: '#/n' },
  { body: { store: true }, code: 'unsupported_parameter', param: '#/store' },
  { body: { logprobs: true }, code: 'unsupported_parameter', param: '#/logprobs' },
  { body: { presence_penalty: 0.5 }, code: 'unsupported_parameter', param: '#/presence_penalty' },
  { body: { modalities: ['text', 'audio'] }, code: 'unsupported_parameter', param: '#/modalities' },
  { body: { web_search_options: {} }, code: 'unsupported_parameter', param: '#/web_search_options' },
  { body: { functions: [] }, code: 'unsupported_parameter', param: '#/functions' },
  { body: { temprature: 1 }, code: 'unknown_parameter', param: '#/temprature' },
  { body: { model: undefined }, code: 'invalid_body', param: '#/model' },
  { body: { messages: 'hi' }, code: 'invalid_body', param: '#/messages' },
  { body: { messages: [{ role: 'robot', content: '' }] }, code: 'invalid_body', param: '#/messages/0/role' },
  {
    body: { messages: [{ role: 'function', content: '' }] },
    code: 'unsupported_parameter',
    param: '#/messages/0/role',
  },
  {
    body: { messages: [{ role: 'user', content: 'x', name: 'bob' }] },
    code: 'unsupported_parameter',
    param: '#/messages/0/name',
  },
  { body: { messages: [{ role: 'tool', content: 'x' }] }, code: 'invalid_body', param: '#/messages/0/tool_call_id' },
  {
    body: { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    code: 'unsupported_parameter',
    param: '#/messages/0/content/0/type',
  },
  {
    body: { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    code: 'unsupported_parameter',
    param: '#/messages/0/content/0/file/file_id',
  },
  {
    body: { tools: [{ type: 'custom', custom: { name: 'x' } }] },
    code: 'unsupported_parameter',
    param: '#/tools/0/type',
  },
  { body: { tool_choice: { type: 'allowed_tools' } }, code: 'unsupported_parameter', param: '#/tool_choice/type' },
  { body: { stream: 'yes' }, code: 'invalid_body', param: '#/stream' },
  { body: { temperature: '1' }, code: 'invalid_body', param: '#/temperature' },
];

describe('a request for chat completions', () => {
  for (const { name, body, inputs } of accepted)
    it(`is read with ${name}`, () => {
      const request = read({ model: 'm', messages: hi, ...body });
      expect(request.inputs).to.deep.equal({ model: 'm', messages: hi, ...inputs });
      expect([request.stream, request.includeUsage]).to.deep.equal([false, false]);
    });

  for (const { body, code, param } of refused)
    it(`is refused by ${code} for ${param} of ${JSON.stringify(body)}`, () => {
      try {
        read({ model: 'm', messages: hi, ...body });
      } catch (error) {
        const { code: own, extensions } = error as PlatformError;
        expect([own, extensions.errors?.[0]?.pointer]).to.deep.equal([code, param]);
        return;
      }
      expect.fail('it was accepted');
    });

  it('says whether it wants a stream with its usage', () => {
    const request = read({ model: 'm', messages: hi, stream: true, stream_options: { include_usage: true } });
    expect([request.stream, request.includeUsage]).to.deep.equal([true, true]);
  });

  for (const body of [[], 'text', 7, null])
    it(`is refused when it is ${JSON.stringify(body)}`, () => {
      expect(() => read(body))
        .to.throw(PlatformError)
        .with.property('code', 'invalid_body');
    });
});
