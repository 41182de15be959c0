import { expect } from 'chai';
import OpenAI from 'openai';
import adapter from '../../../providers/llm/openai-compatible.ts';
import { conformance } from '../../helpers/conformance.ts';
import { bodyOf, startDouble, type ModelDouble } from './vendors/double.ts';
import { completion, key, openaiContract, outputs, streamed } from './vendors/openai.ts';
import { call, createStage, question, type ModelBed } from './vendors/bed.ts';
import { answersAsDocumented, refusesAs, survivesCuts } from './vendors/suite.ts';

const bed: ModelBed = {
  adapter,
  config: (url) => ({ api_key: key, base_url: `${url}/v1` }),
  secret: key,
  contract: openaiContract,
  stream: streamed(),
  outputs,
  model: 'gpt-6',
};

const said = (status: number, code: unknown, type = 'invalid_request_error'): object => ({
  status,
  body: { error: { message: `secret words ${key}`, type, param: null, code } },
});

describe('llm/openai-compatible', () => {
  let double: ModelDouble;
  before(async () => {
    double = await startDouble(openaiContract);
  });
  after(() => double.close());

  conformance({
    adapter,
    orbId: 'llm.chat@1.0.0',
    config: () => bed.config(double.url),
    inputs: { ...question, model: 'gpt-6' },
    secrets: [key],
    receiver: () => ({ effects: () => 0, quiet: () => double.quiet() }),
    faults: [
      {
        name: 'wrong key',
        outcome: 'provider_fault',
        arrange: () => ({ ...bed.config(double.url), api_key: 'sk-other' }),
      },
    ],
  });

  answersAsDocumented(bed);
  survivesCuts(bed);
  refusesAs(bed, [
    ['a wrong key', said(401, 'invalid_api_key'), 'provider_fault'],
    ['an exhausted quota', said(429, 'insufficient_quota'), 'provider_fault'],
    ['a rate limit', said(429, 'rate_limit_exceeded'), 'throttled'],
    ['an overload', said(503, 'server_is_overloaded', 'service_unavailable_error'), 'throttled'],
    ['a bad request', said(400, null), 'rejected'],
    ['too long a context at llama.cpp', said(400, 400, 'exceed_context_size_error'), 'rejected'],
    ['an unknown model', said(404, 'model_not_found'), 'provider_fault'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'provider_fault'],
    ['its own fault', said(500, null, 'server_error'), 'unknown'],
    ['no JSON', { status: 200, body: '<html>secret words' }, 'unknown'],
    ['an error in an answer with success', said(200, 502), 'unknown'],
    ['a call of a tool without a name', whole({ tool_calls: [{ id: 'x', function: {} }] }), 'unknown'],
    ['an end by an error', whole({ content: 'a' }, 'error'), 'unknown'],
    ['an answer without a choice', { status: 200, body: { ...completion, choices: [] } }, 'unknown'],
  ]);

  const { double: start, open } = createStage(bed);

  it('sends a call with everything as the vendor documents it', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    const full = {
      model: 'gpt-6',
      messages: [
        { role: 'developer', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', media_type: 'image/png', data_base64: 'AA==', detail: 'low' },
            { type: 'image', url: 'https://example.org/a.png' },
            { type: 'document', media_type: 'application/pdf', data_base64: 'AA==', name: 'a.pdf' },
            { type: 'audio', format: 'wav', data_base64: 'AA==' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'reasoning', text: 'hm', opaque: { adapter: 'llm/anthropic', data: 'sealed' } }],
          tool_calls: [{ id: 'c1', name: 'f', arguments_text: '{ "a": 1.0 }' }],
        },
        { role: 'tool', content: [{ type: 'text', text: 'done' }], tool_call_id: 'c1', is_error: false },
      ],
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true }],
      tool_choice: { name: 'f' },
      parallel_tool_calls: false,
      max_output_tokens: 10,
      temperature: 0,
      top_p: 1,
      stop: ['x'],
      seed: 1,
      response_format: { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true },
      reasoning_effort: 'low',
      verbosity: 'low',
      service_tier: 'flex',
    };
    const { error } = await call(handle, full, { streamed: true });
    expect(error).to.equal(undefined);
    const body = bodyOf(vendor.posts[0]);
    expect(body['max_completion_tokens']).to.equal(10);
    expect(vendor.posts[0]?.body.toString()).to.not.include('sealed');
    const [, , assistant] = body['messages'] as { content: unknown; tool_calls: { function: object }[] }[];
    expect(assistant).to.deep.include({ content: null });
    expect(assistant?.tool_calls[0]?.function).to.deep.equal({ name: 'f', arguments: '{ "a": 1.0 }' });
  });

  for (const [dialect, inputs, members] of [
    ['mistral', { seed: 4, tool_choice: 'required' }, { random_seed: 4, tool_choice: 'any' }],
    ['vllm', {}, { stream_options: { include_usage: true, continuous_usage_stats: true } }],
    ['ollama', { tool_choice: 'auto', max_output_tokens: 5 }, { max_tokens: 5 }],
  ] as const)
    it(`speaks the dialect ${dialect}`, async () => {
      const vendor = await start();
      const handle = await open({ ...bed.config(vendor.url), dialect });
      await call(handle, { ...question, model: 'm', ...inputs }, { streamed: true });
      const body = bodyOf(vendor.posts[0]);
      expect(body).to.deep.include(members);
      for (const name of ['seed', 'max_completion_tokens', 'tool_choice'])
        if (!(name in members)) expect(body).to.not.have.property(name);
    });

  for (const [dialect, inputs] of [
    ['deepseek', { response_format: { type: 'json_schema', name: 's', schema: {} } }],
    ['deepseek', { seed: 1 }],
    ['ollama', { tool_choice: 'required' }],
    ['ollama', { messages: [{ role: 'user', content: [{ type: 'image', url: 'https://example.org/a.png' }] }] }],
  ] as const)
    it(`refuses ${Object.keys(inputs).join()} for ${dialect}, and sends nothing`, async () => {
      const vendor = await start();
      const handle = await open({ ...bed.config(vendor.url), dialect });
      expect((await call(handle, { ...question, model: 'm', ...inputs })).error?.outcome).to.equal('rejected');
      expect(vendor.posts).to.have.length(0);
    });

  it('leaves out a parameter that the operator lets it ignore', async () => {
    const vendor = await start();
    const handle = await open({ ...bed.config(vendor.url), dialect: 'deepseek', ignored_parameters: ['seed'] });
    await call(handle, { ...question, model: 'm', seed: 1 });
    expect(bodyOf(vendor.posts[0])).to.not.have.property('seed');
  });

  it('sends the key to Azure as `api-key`', async () => {
    const vendor = await start();
    await call(await open({ ...bed.config(vendor.url), dialect: 'azure' }), { ...question, model: 'm' });
    expect(vendor.posts[0]?.headers).to.include({ 'api-key': key }).and.to.not.have.property('authorization');
  });

  it('reads what vendors have that are only like it', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'yes' },
    ];
    vendor.manners.fault = whole(
      { content, tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
      'stop',
    ) as never;
    const { outputs: read } = await call(handle, { ...question, model: 'm' });
    expect(read).to.deep.include({ content: 'yes', reasoning: { text: 'hm' }, finish_reason: 'tool_calls' });
    expect(read?.tool_calls).to.deep.equal([{ id: 'call_0', name: 'f', arguments_text: '{"a":1}' }]);
  });

  it('tells no usage when the vendor tells none', async () => {
    const vendor = await start();
    vendor.manners.fault = { stream: streamed({ counted: false }) };
    const { outputs: read } = await call(
      await open(bed.config(vendor.url)),
      { ...question, model: 'gpt-6' },
      { streamed: true },
    );
    expect(read?.usage).to.deep.equal({ source: 'absent' });
  });

  for (const dialect of ['openai', 'groq'])
    for (const encoding_format of ['float', 'base64', undefined])
      it(`embeds for ${dialect} as ${encoding_format ?? 'told by nobody'}`, async () => {
        const vendor = await start();
        const handle = await open({ ...bed.config(vendor.url), dialect });
        const ask = { model: 'e', input: ['a', 'b'], ...(encoding_format && { encoding_format }) };
        const { outputs: read } = await call(handle, ask);
        const bytes = (vector: number[]): string => Buffer.from(Float32Array.from(vector).buffer).toString('base64');
        const vectors = [
          [0, 0.5],
          [1, 0.5],
        ];
        expect(read).to.deep.equal({
          ...{ model: 'e', sent_model: 'e', usage: { input_tokens: 3, source: 'vendor' } },
          embeddings: encoding_format === 'base64' ? vectors.map(bytes) : vectors,
        });
        for (const input of ['one', [1, 2, 3]])
          expect((await call(handle, { model: 'e', input })).error).to.equal(undefined);
        vendor.manners.fault = { status: 200, body: { data: [] } };
        expect((await call(handle, ask)).error?.outcome).to.equal('unknown');
      });

  it('counts no tokens, and sends nothing', async () => {
    const vendor = await start();
    const { error } = await call(await open(bed.config(vendor.url)), { model: 'm', prompt: question });
    expect(error).to.include({ outcome: 'rejected', phase: 'uncounted' });
    expect(vendor.posts).to.have.length(0);
  });

  it('has a double that the SDK of the vendor understands', async () => {
    const client = new OpenAI({ apiKey: key, baseURL: `${double.url}/v1`, maxRetries: 0 });
    const asked = { model: 'gpt-6', messages: [{ role: 'user' as const, content: 'Hello' }] };
    expect(await client.chat.completions.create(asked)).to.deep.include({ id: completion.id });
    const stream = client.chat.completions.stream({ ...asked, stream_options: { include_usage: true } });
    const final = await stream.finalChatCompletion();
    expect(final.usage).to.deep.equal(completion.usage);
    expect(final.choices[0]?.message.content).to.equal(outputs.content);
    expect((await client.embeddings.create({ model: 'e', input: ['a', 'b'] })).data[0]?.embedding).to.deep.equal([
      1, 0.5,
    ]);
    const wrong = new OpenAI({ apiKey: 'other', baseURL: `${double.url}/v1`, maxRetries: 0 });
    const error = await wrong.models.list().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(OpenAI.AuthenticationError);
  });
});

function whole(message: object, finish_reason = 'stop'): object {
  return { status: 200, body: { ...completion, choices: [{ index: 0, message, finish_reason }] } };
}
