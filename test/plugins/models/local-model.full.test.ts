import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { send } from '../../helpers/http.ts';
import { startLocalModel, type LocalModel } from '../../helpers/local-model.ts';
import { need } from '../../helpers/needs.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';

const max_tokens = 16;
const question = [{ role: 'user' as const, content: 'Say hello' }];
const schema = {
  type: 'object',
  additionalProperties: false,
  properties: { answer: { enum: ['yes', 'no'] }, count: { type: 'integer', minimum: 0, maximum: 99 } },
  required: ['answer', 'count'],
};

/** What a client shows of an answer: tokens of the request, tokens of the answer, whether there is a text, how it ended. */
type Shown = readonly [input: number, output: number, hasText: boolean, finish: string | null | undefined];

/** Models by the adapter through which the same server is asked. */
const models = { small: 'llm/openai-compatible', 'small-messages': 'llm/anthropic' };

describe('a language model on this machine', function () {
  this.timeout(120_000);
  let [chat, vectors]: (LocalModel | undefined)[] = [];
  let served: Served;
  let at: { readonly url: string; readonly key: string };
  let openai: OpenAI;
  let anthropic: Anthropic;
  before(async function () {
    need(this, 'model');
    [chat, vectors] = await Promise.all([startLocalModel(), startLocalModel({ embedding: true })]);
    const name = 'smollm2';
    const llama = (url: string) => ({ dialect: 'llama.cpp', base_url: `${url}/v1` });
    const providers = {
      local: { adapter: 'llm/openai-compatible', config: { ...llama(chat.url), models: { small: { name } } } },
      vectors: { adapter: 'llm/openai-compatible', config: { ...llama(vectors.url), models: { embed: { name } } } },
      messages: {
        adapter: 'llm/anthropic',
        config: {
          ...{ api_key: { $env: 'MODEL_KEY' }, base_url: `${chat.url}/v1`, version: '2023-06-01' },
          models: { 'small-messages': { name } },
        },
      },
    };
    served = createServed({ providers }, { env: { MODEL_KEY: 'none' } });
    at = await served.start();
    openai = new OpenAI({ baseURL: `${at.url}/v1`, apiKey: at.key, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: at.url, apiKey: at.key, maxRetries: 0 });
  });
  after(async () => {
    await served?.remove();
    await Promise.all([chat?.stop(), vectors?.stop()]);
  });

  const ofCompletion = ({ choices: [choice], usage }: OpenAI.ChatCompletion): Shown => [
    ...([usage?.prompt_tokens ?? -1, usage?.completion_tokens ?? -1] as const),
    ...([choice?.message.content !== '', choice?.finish_reason] as const),
  ];
  const ofMessage = ({ content, stop_reason, usage }: Anthropic.Message): Shown => [
    // Those that were in its cache are counted apart.
    ...([usage.input_tokens + (usage.cache_read_input_tokens ?? 0), usage.output_tokens] as const),
    ...([content.some((block) => block.type === 'text' && block.text !== ''), stop_reason] as const),
  ];

  /** The doors: an answer, whole and in a stream. */
  const doors: Readonly<Record<string, (model: string) => readonly [Promise<Shown>, Promise<Shown>]>> = {
    'chat completions': (model) => {
      const body = { model, max_completion_tokens: max_tokens, messages: question, temperature: 0 };
      const seeded = model === 'small' ? { ...body, seed: 1 } : body;
      const stream = openai.chat.completions.stream({ ...seeded, stream_options: { include_usage: true } });
      return [
        openai.chat.completions.create(seeded).then(ofCompletion),
        stream.finalChatCompletion().then((final) => ofCompletion(final)),
      ];
    },
    messages: (model) => {
      const body = { model, max_tokens, messages: question, temperature: 0 };
      return [
        anthropic.messages.create(body).then(ofMessage),
        anthropic.messages.stream(body).finalMessage().then(ofMessage),
      ];
    },
  };
  for (const [door, ask] of Object.entries(doors))
    for (const [model, adapter] of Object.entries(models))
      it(`answers ${door} by ${adapter}, whole and in a stream, with the same counts`, async () => {
        const [whole, streamed] = await Promise.all(ask(model));
        expect(whole).to.deep.equal(streamed);
        const [input, output, hasText, finish] = whole;
        expect(input).to.be.within(10, 60);
        expect(output).to.be.within(1, max_tokens);
        expect(hasText).to.equal(true);
        const cut = door === 'messages' ? 'max_tokens' : 'length';
        if (output === max_tokens) expect(finish).to.equal(cut);
      });

  it('is free again when its caller leaves a stream', async () => {
    const body = { model: 'small', max_completion_tokens: 1500, messages: question, temperature: 0 };
    const stream = await openai.chat.completions.create({ ...body, stream: true, seed: 1 });
    for await (const chunk of stream) {
      if ((chunk.choices[0]?.delta.content ?? '') === '') continue;
      expect(await chat?.busy()).to.equal(1);
      break;
    }
    await free();
  });

  it('is free again when its caller leaves a message that is no stream', async () => {
    const leaving = new AbortController();
    const body = { model: 'small', max_tokens: 1500, messages: question, temperature: 0 };
    const asked = anthropic.messages.create(body, { signal: leaving.signal }).catch((error: unknown) => error);
    await until(
      async () => chat?.busy(),
      (busy) => busy === 1,
      'a busy slot',
    );
    leaving.abort();
    expect(await asked).to.be.instanceOf(Anthropic.APIUserAbortError);
    await free();
  });

  async function free(): Promise<void> {
    await until(
      async () => chat?.busy(),
      (busy) => busy === 0,
      'a free slot',
    );
    const [run] = (await until(
      async () => (await send(at.url, '/runs?limit=1', { key: at.key })).json['runs'] as readonly Run[],
      ([newest]) => newest?.status === 'cancelled',
    )) as [Run];
    expect(run.reason).to.equal('caller_gone');
  }

  it('keeps to a JSON Schema through both doors', async () => {
    const completion = await openai.chat.completions.create({
      ...{ model: 'small', max_completion_tokens: 60, messages: question, temperature: 0, seed: 1 },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    });
    const message = await anthropic.messages.create({
      ...{ model: 'small', max_tokens: 60, messages: question, temperature: 0 },
      output_config: { format: { type: 'json_schema', schema } },
    });
    const [block] = message.content;
    for (const text of [completion.choices[0]?.message.content, block?.type === 'text' ? block.text : undefined]) {
      const { answer, count, ...rest } = JSON.parse(text ?? '') as Record<string, unknown>;
      expect(answer).to.be.oneOf(['yes', 'no']);
      expect(count).to.be.within(0, 99);
      expect(rest).to.deep.equal({});
    }
  });

  it('makes vectors, as bytes and as numbers', async () => {
    const input = ['hello', 'a much longer text'];
    const [bytes, numbers] = await Promise.all(
      (['base64', 'float'] as const).map((encoding_format) =>
        openai.embeddings.create({ model: 'embed', input, ...(encoding_format === 'float' && { encoding_format }) }),
      ),
    );
    expect(bytes?.usage.prompt_tokens).to.be.within(2, 20);
    expect(numbers?.usage).to.deep.equal(bytes?.usage);
    for (const [index, { embedding }] of (bytes?.data ?? []).entries()) {
      expect(embedding).to.have.length(576);
      const same = numbers?.data[index]?.embedding ?? [];
      expect(embedding.every((value, place) => Math.abs(value - (same[place] ?? 9)) < 1e-4)).to.equal(true);
    }
    const { data } = await openai.embeddings.create({ model: 'embed', input: [[1, 2, 3]] });
    expect(data[0]?.embedding).to.have.length(576);
  });

  it('is listed, and refuses what is too long for it in the words of each door', async () => {
    expect((await openai.models.list()).data.map(({ id }) => id)).to.deep.equal(['embed', ...Object.keys(models)]);
    const content = 'word '.repeat(5000);
    const messages = [{ role: 'user' as const, content }];
    const refused = openai.chat.completions.create({ model: 'small', messages });
    const error: unknown = await refused.catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(OpenAI.BadRequestError).and.to.include({ code: 'context_length_exceeded' });
    const message = anthropic.messages.create({ model: 'small', max_tokens, messages });
    expect(await message.catch((caught: unknown) => caught)).to.be.instanceOf(Anthropic.BadRequestError);
  });

  it('counts tokens by its own tokenizer, as an answer then reports them', async () => {
    const body = { model: 'small-messages', messages: question };
    const { input_tokens } = await anthropic.messages.countTokens(body);
    const [told] = ofMessage(await anthropic.messages.create({ ...body, max_tokens }));
    expect(input_tokens).to.equal(told);
  });

  it('leaves receipts that are verified offline', async () => {
    const { runs } = (await send(at.url, '/runs?limit=100', { key: at.key })).json as { runs: readonly Run[] };
    expect(runs.length).to.be.at.least(15);
    const statuses = new Set(runs.map(({ status }) => status));
    expect([...statuses].sort()).to.deep.equal(['cancelled', 'completed', 'failed']);
    writeFileSync(join(served.home, 'keys.json'), (await send(at.url, '/.well-known/jwks.json')).text);
    const files = await Promise.all(
      runs.map(async ({ orb_id, receipt_id, run_id, status }) => {
        const { text, json } = await send(at.url, `/receipts/${receipt_id}`, { key: at.key });
        // To count tokens uses none.
        if (status === 'completed' && orb_id !== 'llm.count@1.0.0') expectUsage(json);
        writeFileSync(join(served.home, `${run_id}.json`), text);
        return `${run_id}.json`;
      }),
    );
    await served.stop();
    for (const file of files) {
      const { status, stdout, stderr } = served.orb('receipts', 'verify', file, '--keys', 'keys.json');
      expect(status, stdout + stderr).to.equal(0);
    }
  });
});

interface Run {
  readonly run_id: string;
  readonly orb_id: string;
  readonly status: string;
  readonly reason?: string;
  readonly receipt_id: string;
}

function expectUsage(receipt: Readonly<Record<string, unknown>>): void {
  expect(receipt).to.have.nested.property('statement.predicate.facts.usage.source', 'vendor');
  expect(receipt).to.have.nested.property('statement.predicate.facts.model.sent', 'smollm2');
  expect(receipt).to.have.nested.property('statement.predicate.facts.model.answered');
}
