import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'chai';
import adapter from '../../../providers/llm/anthropic.ts';
import { conformance } from '../../helpers/conformance.ts';
import { anthropicContract, content, key, message, outputs, streamed, tokensCounted } from './vendors/anthropic.ts';
import { bodyOf, startDouble, type ModelDouble } from './vendors/double.ts';
import { call, createStage, question, type ModelBed } from './vendors/bed.ts';
import { answersAsDocumented, refusesAs, survivesCuts } from './vendors/suite.ts';

const bed: ModelBed = {
  adapter,
  config: (url) => ({ api_key: key, base_url: `${url}/v1` }),
  secret: key,
  contract: anthropicContract,
  stream: streamed(),
  outputs,
  model: 'claude-6',
};

const said = (status: number, type: string, more: object = {}, words = 'secret words'): object => ({
  status,
  body: { type: 'error', error: { type, message: `${words} ${key}`, ...more } },
});

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

describe('llm/anthropic', () => {
  let double: ModelDouble;
  before(async () => {
    double = await startDouble(anthropicContract);
  });
  after(() => double.close());

  conformance({
    adapter,
    orbId: 'llm.chat@1.0.0',
    config: () => bed.config(double.url),
    inputs: { ...question, model: 'claude-6' },
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
    ['a wrong key', said(401, 'authentication_error'), 'provider_fault'],
    ['no credit', said(402, 'billing_error'), 'provider_fault'],
    [
      'a spend limit',
      said(429, 'rate_limit_error', { details: { error_code: 'enforced_spend_limit_reached' } }),
      'provider_fault',
    ],
    ['a rate limit', said(429, 'rate_limit_error'), 'throttled'],
    ['an overload', said(529, 'overloaded_error'), 'throttled'],
    ['an overload in a stream', { stream: event({ type: 'error', error: { type: 'overloaded_error' } }) }, 'throttled'],
    ['a bad request', said(400, 'invalid_request_error'), 'rejected'],
    ['too long a prompt', said(400, 'invalid_request_error', {}, 'prompt is too long: secret words'), 'rejected'],
    ['an unknown model', said(404, 'not_found_error'), 'provider_fault'],
    ['its own fault', said(500, 'api_error'), 'unknown'],
    ['no message', { status: 200, body: {} }, 'unknown'],
    ['a pause of its turn', { status: 200, body: { ...message, stop_reason: 'pause_turn' } }, 'unknown'],
    ['a piece in no block', { stream: event({ type: 'content_block_delta', delta: {} }) }, 'unknown'],
  ]);

  const { double: start, open } = createStage(bed);

  it('keeps as unknown what fails after a part, whatever the vendor says of it', async () => {
    const vendor = await start();
    const overload = event({ type: 'error', error: { type: 'overloaded_error' } });
    vendor.manners.fault = { stream: `${streamed().slice(0, streamed().indexOf('event: message_delta'))}${overload}` };
    const { error, parts } = await call(
      await open(bed.config(vendor.url)),
      { ...question, model: 'm' },
      { streamed: true },
    );
    expect(error).to.include({ outcome: 'unknown', phase: 'stream' });
    expect(parts.filter(({ type }) => type === 'usage').at(-1)).to.include({ input_tokens: 100, source: 'partial' });
  });

  it('joins and orders turns as the vendor wants them, and gives it its own thoughts back', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    const { outputs: first } = await call(handle, { ...question, model: 'm' });
    const others = { type: 'reasoning', text: 'hm', opaque: { adapter: 'llm/gemini', data: 'sealed' } };
    const messages = [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [others, { type: 'reasoning', ...first?.reasoning }, { type: 'text', text: ' \n' }],
        tool_calls: first?.tool_calls,
      },
      { role: 'user', content: 'Quick' },
      { role: 'tool', content: 'rain', tool_call_id: 'toolu_a', is_error: false },
      { role: 'tool', content: [{ type: 'image', url: 'https://example.org/a.png' }], tool_call_id: 'toolu_b' },
      { role: 'developer', content: 'In Czech' },
    ];
    expect((await call(handle, { messages, model: 'm' })).error).to.equal(undefined);
    const body = bodyOf(vendor.posts[1]);
    expect(body['system']).to.deep.equal(['Be brief', 'In Czech'].map((text) => ({ type: 'text', text })));
    const turns = body['messages'] as { role: string; content: { type: string }[] }[];
    expect(turns.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user']);
    expect(turns[1]?.content.slice(0, 2)).to.deep.equal(content.slice(0, 2));
    expect(turns[1]?.content.slice(2).map(({ type }) => type)).to.deep.equal(['tool_use', 'tool_use']);
    expect(turns[2]?.content.map(({ type }) => type)).to.deep.equal(['tool_result', 'tool_result', 'text']);
  });

  it('sends a call with everything as the vendor documents it', async () => {
    const vendor = await start();
    const handle = await open({ ...bed.config(vendor.url), thinking: 'adaptive' });
    const full = {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', media_type: 'image/png', data_base64: 'AA==' },
            { type: 'document', media_type: 'application/pdf', data_base64: 'AA==', name: 'a.pdf' },
            { type: 'document', media_type: 'text/plain', data_base64: 'aGk=' },
          ],
        },
      ],
      tools: [{ name: 'f', description: 'd', strict: true }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      stop: ['x'],
      response_format: { type: 'json_schema', name: 's', schema: { type: 'object' } },
      reasoning_effort: 'minimal',
      service_tier: 'default',
    };
    expect((await call(handle, full, { streamed: true })).error).to.equal(undefined);
    expect(bodyOf(vendor.posts[0])).to.deep.include({
      max_tokens: 8192,
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
      service_tier: 'standard_only',
    });
  });

  for (const [name, inputs] of [
    ['a temperature', { temperature: 1 }],
    ['a seed', { seed: 1 }],
    ['plain JSON', { response_format: { type: 'json' } }],
    ['audio', { messages: [{ role: 'user', content: [{ type: 'audio', format: 'wav', data_base64: '' }] }] }],
    [
      'arguments that are no object',
      { messages: [{ role: 'assistant', content: '', tool_calls: [{ id: 'a', name: 'f', arguments_text: '[' }] }] },
    ],
    [
      'thoughts that it did not make',
      {
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'reasoning', opaque: { adapter: 'llm/anthropic', data: '[{"type":"text"}]' } }],
          },
        ],
      },
    ],
    ['a tier that it does not know', { service_tier: 'flex' }],
  ] as const)
    it(`refuses ${name}, and sends nothing`, async () => {
      const vendor = await start();
      const { error } = await call(await open(bed.config(vendor.url)), { ...question, model: 'm', ...inputs });
      expect(error?.outcome).to.equal('rejected');
      expect(vendor.posts).to.have.length(0);
    });

  it('speaks the older version, too', async () => {
    const vendor = await start();
    const handle = await open({ ...bed.config(vendor.url), version: '2023-06-01' });
    expect((await call(handle, { ...question, model: 'm', temperature: 2 })).error).to.equal(undefined);
    expect(bodyOf(vendor.posts[0])['temperature']).to.equal(1);
  });

  it('counts the tokens of a conversation, and generates nothing', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const counted = await call(handle, { model: 'm', prompt: { ...question, tools, reasoning_effort: 'low' } });
    expect(counted.outputs).to.deep.equal({ model: 'm', input_tokens: tokensCounted });
    expect(vendor.posts.map(({ path }) => path)).to.deep.equal(['/v1/messages/count_tokens']);
    expect(bodyOf(vendor.posts[0])).to.have.all.keys('model', 'messages', 'tools', 'output_config');
  });

  for (const [name, fault, outcome] of [
    ['a text', { status: 200, body: { input_tokens: '7' } }, 'unknown'],
    ['less than zero', { status: 200, body: { input_tokens: -1 } }, 'unknown'],
    ['more than a number holds', { status: 200, body: { input_tokens: 2 ** 60 } }, 'unknown'],
    ['no JSON', { status: 200, body: 'seven' }, 'unknown'],
    ['another address', { status: 307, headers: { location: '/v1/messages' } }, 'provider_fault'],
  ] as const)
    it(`takes ${name} for no count of tokens`, async () => {
      const vendor = await start();
      vendor.manners.fault = fault;
      const counted = await call(await open(bed.config(vendor.url)), { model: 'm', prompt: question });
      expect(counted.error?.outcome).to.equal(outcome);
      expect(vendor.posts).to.have.length(1);
    });

  it('has no embeddings, so that another provider is asked', async () => {
    const vendor = await start();
    const { error } = await call(await open(bed.config(vendor.url)), { model: 'm', input: 'a' });
    expect(error).to.include({ outcome: 'provider_fault', phase: 'model' });
  });

  it('has a double that the SDK of the vendor understands', async () => {
    const client = new Anthropic({ apiKey: key, baseURL: double.url, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
    const asked = { model: 'claude-6', max_tokens: 100, messages };
    const answer = await client.messages.create(asked);
    expect(answer.content).to.deep.equal(content);
    const final = await client.messages.stream(asked).finalMessage();
    expect(final.content).to.deep.equal(content);
    expect(final.usage.output_tokens).to.equal(message.usage.output_tokens);
    expect((await client.messages.countTokens({ model: 'm', messages })).input_tokens).to.equal(tokensCounted);
  });
});
