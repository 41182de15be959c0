import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
} from '@anthropic-ai/sdk';
import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { said, startBed, type Bed } from '../bed.ts';

const asked = { model: 'fast', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };
const opaque = { adapter: 'anthropic', data: 'sig' };
const calls = [
  { id: 'c1', name: 'look', arguments_text: '{"a": 1}' },
  { id: 'c2', name: 'find', arguments_text: '' },
];
const tools = calls.map(({ name }) => ({ name, input_schema: { type: 'object' as const } }));

describe('the official client of Anthropic, unchanged', () => {
  let bed: Bed;
  let client: Anthropic;
  before(async () => {
    bed = await startBed();
    client = new Anthropic({ baseURL: bed.platform.url, apiKey: bed.platform.adminKey, maxRetries: 0 });
  });
  beforeEach(() => bed.answer(async () => said('hello')));
  after(async () => bed.platform.stop());

  it('gets an answer, in an Orbiset, too', async () => {
    const { content, usage } = await client.messages.create(asked);
    expect(content).to.deep.equal([{ type: 'text', text: 'hello', citations: null }]);
    expect(usage.input_tokens).to.equal(12);
    const inOrbiset = client.withOptions({ baseURL: `${bed.platform.url}/orbisets/default` });
    expect((await inOrbiset.messages.create(asked)).stop_reason).to.equal('end_turn');
  });

  it('streams thinking, text and calls of tools, and sends them back', async () => {
    const outputs = said('so', { reasoning: { text: 'hm', opaque }, tool_calls: calls, finish_reason: 'tool_calls' });
    bed.answer(async (_, { emit }) => {
      await emit?.({ type: 'reasoning', text: 'hm' });
      await emit?.({ type: 'reasoning', opaque });
      await emit?.({ type: 'text', text: 'so' });
      for (const [index, { id, name, arguments_text }] of calls.entries()) {
        await emit?.({ type: 'tool_call', index, id, name });
        for (const piece of arguments_text) await emit?.({ type: 'tool_call', index, arguments_text: piece });
      }
      return outputs;
    });
    const stream = client.messages.stream({ ...asked, tools });
    const message = await stream.finalMessage();
    const blocks = [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'text', text: 'so' },
      { type: 'tool_use', id: 'c1', name: 'look', input: { a: 1 } },
      { type: 'tool_use', id: 'c2', name: 'find', input: {} },
    ];
    expect(message.content.map((block) => ({ ...block }))).to.have.length(4);
    for (const [at, block] of blocks.entries()) expect(message.content[at]).to.deep.include(block);
    expect([message.stop_reason, message.usage.input_tokens, message.usage.output_tokens]).to.deep.equal([
      'tool_use',
      12,
      3,
    ]);
    bed.answer(async () => said('done'));
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'ok' }));
    const turn = [
      ...asked.messages,
      { role: 'assistant' as const, content: message.content },
      { role: 'user' as const, content: results },
    ];
    await client.messages.create({ ...asked, tools, messages: turn });
    expect(bed.calls.at(-1)?.['messages']).to.deep.equal([
      ...asked.messages,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', opaque },
          { type: 'text', text: 'so' },
        ],
        tool_calls: [
          { id: 'c1', name: 'look', arguments_text: '{"a":1}' },
          { id: 'c2', name: 'find', arguments_text: '{}' },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      { role: 'tool', tool_call_id: 'c2', content: 'ok' },
    ]);
  });

  const refuse = (outcome: 'rejected' | 'not_sent') => {
    bed.answer(async () => {
      throw new ProviderError(outcome, 'no');
    });
    return client.messages.create(asked);
  };
  const failures: readonly (readonly [
    string,
    () => Promise<unknown>,
    new (...args: never[]) => Error,
    string,
    string,
  ])[] = [
    [
      'a bad key',
      () => client.withOptions({ apiKey: 'orb_live_no' }).messages.create(asked),
      AuthenticationError,
      'authentication_error',
      'unauthenticated',
    ],
    [
      'a parameter that is not supported',
      () => client.messages.create({ ...asked, ...{ top_k: 5 } }),
      BadRequestError,
      'invalid_request_error',
      'unsupported_parameter',
    ],
    [
      'an Orbiset that is not there',
      () => client.withOptions({ baseURL: `${bed.platform.url}/orbisets/no` }).messages.create(asked),
      NotFoundError,
      'not_found_error',
      'orbiset_not_found',
    ],
    [
      'a provider that refuses',
      () => refuse('rejected'),
      BadRequestError,
      'invalid_request_error',
      'provider_rejected',
    ],
    [
      'a provider that is away',
      () => refuse('not_sent'),
      InternalServerError,
      'overloaded_error',
      'provider_unavailable',
    ],
  ];
  for (const [name, work, type, kind, code] of failures)
    it(`raises its own error for ${name}`, async () => {
      const error: unknown = await work().catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(type);
      const { error: body, requestID } = error as APIError;
      expect(body).to.have.nested.property('error.type', kind);
      expect(body).to.have.nested.property('error.details.error_code', code);
      expect(requestID).to.match(/^req_/);
    });

  it('raises when a stream is cut after its first part', async () => {
    bed.answer(async (_, { emit }) => {
      await emit?.({ type: 'text', text: 'hel' });
      throw new ProviderError('unknown', 'the connection was reset', { phase: 'response' });
    });
    const stream = client.messages.stream(asked);
    const error: unknown = await stream.finalMessage().catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(APIError);
    expect(JSON.stringify((error as APIError).error)).to.contain('stream_interrupted');
  });

  it('aborts the run when it leaves', async () => {
    const left = Promise.withResolvers<void>();
    bed.answer(async (_, { emit, signal }) => {
      signal.addEventListener('abort', () => left.resolve());
      await emit?.({ type: 'text', text: 'hel' });
      await left.promise;
      throw new ProviderError('unknown', 'aborted', { phase: 'response' });
    });
    const stream = client.messages.stream(asked);
    stream.on('text', () => stream.abort());
    await stream.done().catch(() => undefined);
    await left.promise;
  });
});
