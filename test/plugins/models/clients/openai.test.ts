import { expect } from 'chai';
import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
} from 'openai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { until } from '../../../helpers/until.ts';
import { said, startBed, usage, type Bed } from '../bed.ts';

const messages = [{ role: 'user', content: 'hi' }] as const;
const calls = [
  { id: 'c1', name: 'look', arguments_text: '{"a": 1}' },
  { id: 'c2', name: 'find', arguments_text: '{}' },
];

describe('the official client of OpenAI, unchanged', () => {
  let bed: Bed;
  let client: OpenAI;
  before(async () => {
    bed = await startBed();
    client = new OpenAI({ baseURL: `${bed.platform.url}/v1`, apiKey: bed.platform.adminKey, maxRetries: 0 });
  });
  beforeEach(() => bed.answer(async () => said('hello')));
  after(async () => bed.platform.stop());

  const ask = (more: object = {}) =>
    client.chat.completions.create({
      model: 'fast',
      messages: [...messages],
      ...more,
    }) as Promise<OpenAI.ChatCompletion>;

  it('gets an answer, in an Orbiset, too', async () => {
    expect((await ask()).choices[0]?.message.content).to.equal('hello');
    const inOrbiset = client.withOptions({ baseURL: `${bed.platform.url}/orbisets/default/v1` });
    const answer = await inOrbiset.chat.completions.create({ model: 'fast', messages: [...messages] });
    expect(answer.usage?.total_tokens).to.equal(15);
  });

  it('streams text with its usage', async () => {
    bed.answer(async (_, { emit }) => {
      for (const text of ['hel', 'lo']) await emit?.({ type: 'text', text });
      return said('hello');
    });
    const stream = client.chat.completions.stream({
      ...{ model: 'fast', messages: [...messages], stream_options: { include_usage: true } },
    });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    expect(deltas).to.deep.equal(['hel', 'lo']);
    expect(final.choices[0]?.message.content).to.equal('hello');
    expect(final.usage).to.deep.include({ prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens });
  });

  it('gets parallel calls of tools, streamed and not, and sends their results', async () => {
    const outputs = said('', { tool_calls: calls, finish_reason: 'tool_calls' });
    bed.answer(async (_, { emit }) => {
      for (const [index, { id, name, arguments_text }] of calls.entries()) {
        await emit?.({ type: 'tool_call', index, id, name });
        for (const piece of arguments_text) await emit?.({ type: 'tool_call', index, arguments_text: piece });
      }
      return outputs;
    });
    const tools = calls.map(
      ({ name }) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }) as const,
    );
    const expected = calls.map(({ id, name, arguments_text }) => ({ id, name, arguments: arguments_text }));
    const shown = (made: OpenAI.ChatCompletion) =>
      made.choices[0]?.message.tool_calls?.map((call) => 'function' in call && { id: call.id, ...call.function });
    const whole = await ask({ tools });
    expect(shown(whole)).to.deep.equal(expected);
    const stream = client.chat.completions.stream({ model: 'fast', messages: [...messages], tools });
    const streamed = await stream.finalChatCompletion();
    expect(shown(streamed)?.map((call) => ({ ...call }))).to.deep.equal(expected.map((call) => ({ ...call })));
    bed.answer(async () => said('done'));
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' }) as const);
    const message = whole.choices[0]?.message;
    expect((await ask({ messages: [...messages, message, ...results] })).choices[0]?.message.content).to.equal('done');
    expect(bed.calls.at(-1)?.['messages']).to.deep.include({ role: 'tool', content: 'ok', tool_call_id: 'c2' });
  });

  it('gets vectors, for which it asks as bytes', async () => {
    bed.answer(async () => ({ model: 'v', embeddings: [[1, -2.5]], usage: { input_tokens: 2, source: 'vendor' } }));
    const { data } = await client.embeddings.create({ model: 'e', input: 'hi' });
    expect(data[0]?.embedding).to.deep.equal([1, -2.5]);
  });

  const failures: readonly (readonly [string, () => Promise<unknown>, new (...args: never[]) => Error, string])[] = [
    [
      'a bad key',
      () => client.withOptions({ apiKey: 'orb_live_no' }).chat.completions.create({ model: 'm', messages: [] }),
      AuthenticationError,
      'invalid_api_key',
    ],
    ['a parameter that is not supported', () => ask({ logprobs: true }), BadRequestError, 'unsupported_parameter'],
    [
      'an Orbiset that is not there',
      () =>
        client
          .withOptions({ baseURL: `${bed.platform.url}/orbisets/no/v1` })
          .chat.completions.create({ model: 'm', messages: [...messages] }),
      NotFoundError,
      'orbiset_not_found',
    ],
    [
      'a provider that refuses',
      () => {
        bed.answer(async () => {
          throw new ProviderError('rejected', 'too long');
        });
        return ask();
      },
      BadRequestError,
      'provider_rejected',
    ],
    [
      'a provider that is away',
      () => {
        bed.answer(async () => {
          throw new ProviderError('not_sent', 'refused');
        });
        return ask();
      },
      InternalServerError,
      'provider_unavailable',
    ],
  ];
  for (const [name, work, type, code] of failures)
    it(`raises its own error for ${name}`, async () => {
      const error: unknown = await work().catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(type);
      expect((error as APIError).code).to.equal(code);
      expect((error as APIError).requestID).to.match(/^req_/);
    });

  it('raises when a stream is cut after its first part', async () => {
    bed.answer(async (_, { emit }) => {
      await emit?.({ type: 'text', text: 'hel' });
      throw new ProviderError('unknown', 'the connection was reset', { phase: 'response' });
    });
    const stream = await client.chat.completions.create({ model: 'fast', messages: [...messages], stream: true });
    let text = '';
    const error: unknown = await (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    })().catch((caught: unknown) => caught);
    expect(text).to.equal('hel');
    expect(error).to.be.instanceOf(APIError);
    expect((error as APIError).code).to.equal('stream_interrupted');
  });

  it('aborts the run when it leaves', async () => {
    const left = Promise.withResolvers<void>();
    bed.answer(async (_, { emit, signal }) => {
      signal.addEventListener('abort', () => left.resolve());
      await emit?.({ type: 'text', text: 'hel' });
      await left.promise;
      throw new ProviderError('unknown', 'aborted', { phase: 'response' });
    });
    const stream = await client.chat.completions.create({ model: 'fast', messages: [...messages], stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'hel') break;
    await left.promise;
    const runs = await until(
      async () => (await bed.platform.call('GET', '/runs?limit=1')).body.runs,
      ([newest]) => newest.status === 'cancelled',
    );
    expect(runs[0].reason).to.equal('caller_gone');
  });

  it('leaves a call that is no stream', async () => {
    const started = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    bed.answer(async (_, { signal }) => {
      signal.addEventListener('abort', () => left.resolve());
      started.resolve();
      await left.promise;
      throw new ProviderError('unknown', 'aborted', { phase: 'response' });
    });
    const abort = new AbortController();
    const asked = client.chat.completions
      .create({ model: 'fast', messages: [...messages] }, { signal: abort.signal })
      .catch((error: unknown) => error);
    await started.promise;
    abort.abort();
    expect(await asked).to.be.instanceOf(APIUserAbortError);
    await left.promise;
  });

  it('repeats only what the door says can be repeated', async () => {
    const retrying = client.withOptions({ maxRetries: 1 });
    const count = async (outcome: 'rejected' | 'not_sent'): Promise<number> => {
      const before = bed.calls.length;
      bed.answer(async () => {
        throw new ProviderError(outcome, 'no');
      });
      await retrying.chat.completions.create({ model: 'fast', messages: [...messages] }).catch(() => undefined);
      return bed.calls.length - before;
    };
    expect(await count('rejected')).to.equal(1);
    expect(await count('not_sent')).to.be.at.least(2);
  });
});
