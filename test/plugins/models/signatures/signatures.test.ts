import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Signatures } from '../../../../plugins/models/serve/signatures.ts';
import { said, startBed, type Bed } from '../bed.ts';

const opaque = { adapter: 'llm/anthropic', data: 'a canary signature' };
const call = (id: string) => ({ id, name: 'look', arguments_text: '{"a":1}' });
const thought = (id: string, more: object = {}) =>
  said('so', {
    reasoning: { text: 'hm', opaque },
    tool_calls: [call(id), call(`${id}-b`)],
    finish_reason: 'tool_calls',
    ...more,
  });
const user = { role: 'user', content: 'hi' };

/** The second turn of a loop of tools, by a client that dropped all but the calls. */
const turns = {
  openai: (id: string) => ({
    model: 'fast',
    messages: [
      user,
      {
        role: 'assistant',
        content: 'so',
        tool_calls: [id, `${id}-b`].map((one) => ({
          ...{ id: one, type: 'function', function: { name: 'look', arguments: '{"a":1}' } },
        })),
      },
      { role: 'tool', tool_call_id: id, content: 'ok' },
    ],
  }),
  anthropic: (id: string) => ({
    model: 'fast',
    max_tokens: 9,
    messages: [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'so' },
          ...[id, `${id}-b`].map((one) => ({ type: 'tool_use', id: one, name: 'look', input: { a: 1 } })),
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    ],
  }),
};
const doors = [
  { door: 'openai', path: '/v1/chat/completions' },
  { door: 'anthropic', path: '/v1/messages' },
] as const;

describe('the signature of an answer that calls tools', () => {
  let bed: Bed;
  let now = Date.now();
  const clock = { now: () => now, monotonic: () => performance.now() };
  before(async () => void (bed = await startBed({ clock: clock })));
  after(async () => bed.platform.stop());

  const first = { model: 'fast', max_tokens: 9, messages: [user] };
  const assistantOf = () => (bed.calls.at(-1)?.['messages'] as { role: string; content: unknown }[])[1];
  const restored = [
    { type: 'reasoning', opaque },
    { type: 'text', text: 'so' },
  ];
  const begin = async (path: string, id: string, more: object = {}): Promise<void> => {
    bed.answer(async () => thought(id));
    const { status, text } = await bed.post(path, { ...first, ...more });
    expect(status, text).to.equal(200);
    bed.answer(async () => said('done'));
  };

  for (const { door, path } of doors)
    for (const stream of [false, true])
      it(`is given back when the client of ${path} dropped it${stream ? ', streamed' : ''}`, async () => {
        const id = `toolu-${door}-${String(stream)}`;
        await begin(path, id, { stream });
        for (const { door: other, path: next } of doors) {
          const { status, text } = await bed.post(next, { ...turns[other](id), stream });
          expect(status, text).to.equal(200);
          expect(assistantOf()?.content).to.deep.equal(restored);
        }
      });

  it('is given back to the counting of tokens, too', async () => {
    await begin('/v1/messages', 'counted');
    bed.answer(async () => ({ model: 'm', input_tokens: 5 }));
    const { max_tokens: _, ...counted } = turns.anthropic('counted');
    expect((await bed.post('/v1/messages/count_tokens', counted)).status).to.equal(200);
    const { prompt } = bed.calls.at(-1) as { prompt: { messages: { content: unknown }[] } };
    expect(prompt.messages[1]?.content).to.deep.equal(restored);
  });

  it('is that of the client, when it sends one', async () => {
    await begin('/v1/messages', 'own');
    const turn = turns.anthropic('own');
    const own = Buffer.from(JSON.stringify({ adapter: 'llm/anthropic', data: 'own' })).toString('base64url');
    (turn.messages[1] as { content: object[] }).content.unshift({ type: 'redacted_thinking', data: `orb1.${own}` });
    await bed.post('/v1/messages', turn);
    expect((assistantOf()?.content as object[])[0]).to.deep.equal({
      ...{ type: 'reasoning', opaque: { adapter: 'llm/anthropic', data: 'own' } },
    });
  });

  it('is not given to another principal, nor for a call that was not made', async () => {
    await begin('/v1/messages', 'private');
    const key = await bed.platform.key({ scopes: ['orbs:execute'] });
    for (const [id, options] of [
      ['private', { key }],
      ['unknown', {}],
    ] as const) {
      const { status, text } = await bed.post('/v1/messages', turns.anthropic(id), options);
      expect(status, text).to.equal(200);
      expect(assistantOf()?.content).to.deep.equal([{ type: 'text', text: 'so' }]);
    }
  });

  it('is kept for an hour, and sealed', async () => {
    await begin('/v1/messages', 'old');
    const files = readdirSync(bed.platform.stateDir).filter((name) => name.startsWith('store.db'));
    for (const name of files)
      expect(readFileSync(join(bed.platform.stateDir, name)).includes('a canary signature'), name).to.equal(false);
    now += 3_599_000;
    await bed.post('/v1/messages', turns.anthropic('old'));
    expect(assistantOf()?.content).to.deep.equal(restored);
    now += 2000;
    await bed.post('/v1/messages', turns.anthropic('old'));
    expect(assistantOf()?.content).to.deep.equal([{ type: 'text', text: 'so' }]);
  });

  it('costs no call when the store is away', async () => {
    const warned: string[] = [];
    const signatures = new Signatures({
      store: {
        sealer: { seal: () => new Uint8Array(), mac: () => 'id' },
        write: () => Promise.reject(new Error('away')),
      } as never,
      reads: {} as never,
      clock,
      log: { warn: (_: object, text?: string) => void warned.push(text ?? '') },
    });
    await signatures.keep(thought('t'), { id: 'p', tenant: 'default' });
    expect(warned).to.have.length(1);
  });

  it('is not kept where no tool is called, and not when it is large', async () => {
    bed.answer(async () => said('so', { reasoning: { opaque } }));
    expect((await bed.post('/v1/messages', first)).status).to.equal(200);
    bed.answer(async () => thought('large', { reasoning: { opaque: { ...opaque, data: 'x'.repeat(2 ** 20 + 1) } } }));
    expect((await bed.post('/v1/messages', first)).status).to.equal(200);
    await bed.post('/v1/messages', turns.anthropic('large'));
    expect(assistantOf()?.content).to.deep.equal([{ type: 'text', text: 'so' }]);
  });
});
