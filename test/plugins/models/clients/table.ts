import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import type { ChatPart } from '../../../../providers/llm/contract.ts';
import { until } from '../../../helpers/until.ts';
import { said, startBed, usage, type Answering, type Bed } from '../bed.ts';
import type { Ask, FailureName, StockClient, Told } from './client.ts';

const calls = [
  { id: 'c1', name: 'look', arguments_text: '{"a": 1}' },
  { id: 'c2', name: 'find', arguments_text: '{}' },
];
const shownCalls = calls.map(({ id, name, arguments_text }) => ({ id, name, arguments: JSON.parse(arguments_text) }));
const pieces = ['hel', 'lo'];
const text = pieces.join('');
const counted = [usage.input_tokens, usage.output_tokens];

/** Emits parts, where the call is a stream, and answers. */
const emits =
  (parts: readonly ChatPart[], outputs: ReturnType<typeof said>): Answering =>
  async (_, { emit }) => {
    for (const part of parts) await emit?.({ ...part });
    return outputs;
  };

const speaks = emits(
  pieces.map((piece) => ({ type: 'text', text: piece })),
  said(text),
);

// The arguments come in pieces of one character.
const callsTools = emits(
  calls.flatMap(({ id, name, arguments_text }, index): ChatPart[] => [
    { type: 'tool_call', index, id, name },
    ...[...arguments_text].map((piece) => ({ type: 'tool_call', index, arguments_text: piece }) as const),
  ]),
  said('', { tool_calls: calls, finish_reason: 'tool_calls' }),
);

const schema = {
  ...{ type: 'object', additionalProperties: false, required: ['a'] },
  properties: { a: { type: 'integer' } },
};

const hasResults = (inputs: Readonly<Record<string, unknown>>): boolean =>
  (inputs['messages'] as readonly { readonly role: string }[]).some(({ role }) => role === 'tool');

const usesTools: Answering = (inputs, context) => (hasResults(inputs) ? speaks : callsTools)(inputs, context);

const fails =
  (outcome: 'not_sent' | 'rejected' | 'unknown', parts: readonly ChatPart[] = []): Answering =>
  async (_, { emit }) => {
    for (const part of parts) await emit?.({ ...part });
    throw new ProviderError(outcome, 'no', outcome === 'unknown' ? { phase: 'response' } : {});
  };

interface Row {
  readonly name: string;
  readonly answers: Answering;
  readonly ask?: Partial<Ask>;
  readonly told: Partial<Told>;
}

const whole = { text, usage: counted as [number, number], error: null };

/** What every client gets. */
const answers: readonly Row[] = [
  { name: 'an answer', answers: speaks, told: { ...whole, pieces: [], calls: [] } },
  { name: 'a stream', answers: speaks, ask: { stream: true }, told: { ...whole, pieces, calls: [] } },
  {
    name: 'calls of tools, whose results it sends',
    answers: usesTools,
    ask: { tools: ['look', 'find'] },
    told: { ...whole, calls: shownCalls },
  },
  {
    name: 'streamed calls of tools, whose results it sends',
    answers: usesTools,
    ask: { stream: true, tools: ['look', 'find'] },
    told: { ...whole, pieces, calls: shownCalls },
  },
];

interface Failing {
  readonly name: FailureName;
  readonly answers?: Answering;
  readonly ask?: Partial<Ask>;
  /** By the door of OpenAI, and by the one of Anthropic. */
  readonly status: readonly [number, number];
  readonly code: readonly [string, string];
}

const both = <T>(value: T): readonly [T, T] => [value, value];

const failures = (url: string, keyOfOthers: string): readonly Failing[] => [
  {
    name: 'unauthenticated',
    ask: { key: 'orb_live_no' },
    status: both(401),
    code: ['invalid_api_key', 'unauthenticated'],
  },
  { name: 'forbidden', ask: { key: keyOfOthers }, status: both(403), code: both('insufficient_scope') },
  { name: 'missing', ask: { url: `${url}/orbisets/no` }, status: both(404), code: both('orbiset_not_found') },
  { name: 'rejected', answers: fails('rejected'), status: both(400), code: both('provider_rejected') },
  { name: 'spent', ask: { model: 'spent' }, status: both(429), code: ['insufficient_quota', 'budget_exhausted'] },
  { name: 'failed', answers: fails('unknown'), status: both(502), code: both('provider_failed') },
  { name: 'unavailable', answers: fails('not_sent'), status: [503, 529], code: both('provider_unavailable') },
];

/** Declares that a stock client works unchanged. */
export function worksUnchanged(client: StockClient): void {
  describe(`${client.name}, unchanged`, function () {
    const at = client.door === 'openai' ? 0 : 1;
    let bed: Bed;
    let keyOfOthers: string;
    const ask = (more: Partial<Ask> = {}, signal = new AbortController().signal): Promise<Told> => {
      const { adminKey: key, url } = bed.platform;
      const plain = { stream: false, retries: 0, tools: [], leaves: false };
      return client.ask({ url, key, model: 'fast', question: 'hi', ...plain, ...more }, signal);
    };
    before(async () => {
      const budgets = [{ scope: 'model', of: 'spent', per: 'month', tokens: 1 }];
      bed = await startBed({ platform: { plugins: { budgets: { config: { budgets } } } } });
      keyOfOthers = await bed.platform.key({ scopes: ['orbs:execute:demo.*'] });
    });
    beforeEach(() => bed.answer(speaks));
    after(async () => {
      await bed.platform.stop();
    });

    for (const { answers: answering, ask: more, name, told } of answers)
      it(`gets ${name}`, async () => {
        bed.answer(answering);
        const found = await ask(more);
        expect(found).to.deep.include(told);
        expect(found.finish).to.equal(client.finishes.whole);
        if (more?.tools === undefined) return;
        const messages = bed.calls.at(-1)?.['messages'] as readonly Readonly<Record<string, unknown>>[];
        expect(messages[0]).to.deep.equal({ role: 'user', content: 'hi' });
        const sent = messages[1]?.['tool_calls'] as typeof calls;
        expect(sent.map((call) => ({ ...call, arguments: JSON.parse(call.arguments_text) }))).to.containSubset(
          shownCalls,
        );
        expect(messages.slice(2)).to.deep.equal(
          calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
        );
      });

    it('sends a picture', async () => {
      expect(await ask({ image: 'AAAA' })).to.deep.include(whole);
      const [message] = bed.calls.at(-1)?.['messages'] as readonly { readonly content: readonly object[] }[];
      expect(message?.content).to.have.length(2);
      expect(message?.content[1]).to.include({ type: 'image', media_type: 'image/png', data_base64: 'AAAA' });
    });

    it('asks for JSON of a schema', async () => {
      const json = '{"a":1}';
      bed.answer(async () => said(json));
      expect((await ask({ schema })).text).to.equal(json);
      const format = bed.calls.at(-1)?.['response_format'] as { readonly schema: object };
      expect(format).to.include({ type: 'json_schema', name: 'answer', strict: true });
      expect(format.schema).to.deep.include(schema);
    });

    it('works in an Orbiset', async () => {
      expect(await ask({ url: `${bed.platform.url}/orbisets/default` })).to.deep.include(whole);
    });

    for (const stream of [false, true])
      it(`raises its own errors${stream ? ' for streams that do not begin' : ''}`, async () => {
        for (const { answers: answering, ask: more, code, name, status } of failures(bed.platform.url, keyOfOthers)) {
          bed.answer(answering ?? speaks);
          const { error } = await ask({ stream, ...more });
          expect(error, name).to.deep.equal({ type: client.errors[name], status: status[at], code: code[at] });
        }
      });

    it('raises an error for a stream that is cut after its first part', async () => {
      bed.answer(fails('unknown', [{ type: 'text', text: 'hel' }]));
      const told = await ask({ stream: true });
      expect(told.pieces).to.deep.equal(['hel']);
      expect(told.error).to.include({ type: client.errors.interrupted, code: 'stream_interrupted' });
    });

    for (const stream of [true, false])
      it(`ends its run when it leaves ${stream ? 'a stream' : 'a call'}`, async () => {
        const [left, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        bed.answer(async (_, { emit, signal }) => {
          signal.addEventListener('abort', () => left.resolve());
          started.resolve();
          await emit?.({ type: 'text', text: 'hel' });
          await left.promise;
          throw new ProviderError('unknown', 'aborted', { phase: 'response' });
        });
        const leaving = new AbortController();
        const asked = ask({ stream, leaves: stream }, leaving.signal);
        await started.promise;
        if (!stream) leaving.abort();
        const [{ error }] = await Promise.all([asked, left.promise]);
        if (!stream) expect(error?.type).to.equal(client.errors.left);
        const runs = await until(
          async () => (await bed.platform.call('GET', '/runs?limit=1')).body.runs,
          ([newest]) => newest.status === 'cancelled',
        );
        expect(runs[0].reason).to.equal('caller_gone');
      });

    it('repeats a call that its provider could not take', async () => {
      const before = bed.calls.length;
      const busy: Answering = async () => {
        throw new ProviderError('throttled', 'no', { retry_after: 1 });
      };
      bed.answer((inputs, context) => (bed.calls.length === before + 1 ? busy : speaks)(inputs, context));
      expect(await ask({ retries: 1 })).to.deep.include(whole);
      expect(bed.calls.length).to.equal(before + 2);
    });

    for (const outcome of ['rejected', 'unknown'] as const)
      it(`asks ${outcome === 'unknown' && client.repeatsAll ? 'twice' : 'once'} when the outcome is ${outcome}`, async () => {
        const before = bed.calls.length;
        bed.answer(fails(outcome));
        expect((await ask({ retries: 1 })).error).to.not.equal(null);
        expect(bed.calls.length - before).to.equal(outcome === 'unknown' && client.repeatsAll ? 2 : 1);
      });

    if (client.embed !== undefined)
      it('gets vectors', async () => {
        bed.answer(async () => ({ model: 'v', embeddings: [[1, -2.5]], usage: { input_tokens: 2, source: 'vendor' } }));
        const { adminKey: key, url } = bed.platform;
        expect(await client.embed?.({ url, key, model: 'e' }, 'hi')).to.deep.equal([1, -2.5]);
      });
  });
}
