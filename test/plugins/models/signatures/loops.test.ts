import { expect } from 'chai';
import { anthropicContract, content, key as vendorKey } from '../../../providers/llm/vendors/anthropic.ts';
import { bodyOf, startDouble, type ModelDouble } from '../../../providers/llm/vendors/double.ts';
import { key as otherKey, openaiContract } from '../../../providers/llm/vendors/openai.ts';
import { startBed, type Bed } from '../bed.ts';

interface Turn {
  readonly role: string;
  readonly content: readonly { readonly type: string }[];
}

const [thinking, redacted] = content;
const user = { role: 'user', content: 'hi' };

describe('a loop of tools', () => {
  let bed: Bed;
  let claude: ModelDouble;
  let gpt: ModelDouble;
  before(async () => {
    // As the vendor: results of tools need the thoughts before their calls, unchanged and first.
    claude = await startDouble((request) => {
      const turns = (bodyOf(request)['messages'] ?? []) as readonly Turn[];
      const broken = turns.some(
        ({ content: blocks, role }) =>
          role === 'assistant' && JSON.stringify(blocks.slice(0, 2)) !== JSON.stringify([thinking, redacted]),
      );
      if (!broken) return anthropicContract(request);
      return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'thinking' } } };
    });
    gpt = await startDouble(openaiContract);
    bed = await startBed({
      env: { CLAUDE_KEY: vendorKey, GPT_KEY: otherKey },
      platform: {
        providers: {
          claude: {
            adapter: 'llm/anthropic',
            config: { api_key: { $env: 'CLAUDE_KEY' }, base_url: `${claude.url}/v1`, models: { smart: {}, both: {} } },
          },
          gpt: {
            adapter: 'llm/openai-compatible',
            config: { api_key: { $env: 'GPT_KEY' }, base_url: `${gpt.url}/v1`, models: { other: {}, both: {} } },
          },
        },
      },
    });
  });
  after(async () => {
    await bed.platform.stop();
    await claude.close();
    await gpt.close();
  });

  /** A client that keeps only what its API had before there were thoughts. */
  const chat = async (messages: object[], model: string): Promise<object[]> => {
    const { body, status, text } = await bed.post('/v1/chat/completions', { model, messages });
    expect(status, text).to.equal(200);
    const { content: said, tool_calls: calls } = body.choices[0].message;
    const results = (calls ?? []).map(({ id }: { id: string }) => ({ role: 'tool', tool_call_id: id, content: 'ok' }));
    return [...messages, { role: 'assistant', content: said, ...(calls && { tool_calls: calls }) }, ...results];
  };
  const message = async (messages: object[], model: string): Promise<object[]> => {
    const { body, status, text } = await bed.post('/v1/messages', { model, max_tokens: 99, messages });
    expect(status, text).to.equal(200);
    const blocks = (body.content as { type: string; id: string }[]).filter(({ type }) => !type.includes('thinking'));
    const uses = blocks.filter(({ type }) => type === 'tool_use');
    const results = uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
    return [...messages, { role: 'assistant', content: blocks }, { role: 'user', content: results }];
  };

  for (const [name, ask] of [
    ['chat completions', chat],
    ['messages', message],
  ] as const)
    it(`of ten turns goes on with Anthropic, although a client of ${name} drops its thoughts`, async () => {
      let messages: object[] = [user];
      for (let turn = 0; turn < 10; turn += 1) messages = await ask(messages, 'smart');
      expect(messages.length).to.be.greaterThan(20);
    });

  it('goes on at another vendor, which never gets the signatures', async () => {
    const begun = await chat([user], 'both');
    const before = gpt.posts.length;
    for (const model of ['other', 'both']) {
      if (model === 'both')
        claude.manners.fault = { status: 529, body: { type: 'error', error: { type: 'overloaded_error' } } };
      await chat(begun, model);
    }
    claude.manners.fault = undefined;
    expect(gpt.posts.length).to.equal(before + 2);
    for (const { body } of gpt.posts)
      for (const secret of [thinking.signature, redacted.data, 'reasoning'])
        expect(body.toString()).to.not.include(secret);
  });

  it('goes on when a client sends a signature back behind the calls, where its stream had it', async () => {
    const [, assistant] = (await message([user], 'smart')) as [object, { content: object[] }];
    const { body } = await bed.post('/v1/messages', { model: 'smart', max_tokens: 99, messages: [user] });
    const kept = (body.content as { type: string; signature?: string }[])[0];
    const late = { type: 'redacted_thinking', data: kept?.signature };
    const uses = (assistant.content as { type: string; id: string }[]).filter(({ type }) => type === 'tool_use');
    const results = uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
    const messages = [
      user,
      { role: 'assistant', content: [...assistant.content, late] },
      { role: 'user', content: results },
    ];
    const { status, text } = await bed.post('/v1/messages', { model: 'smart', max_tokens: 99, messages });
    expect(status, text).to.equal(200);
  });
});
