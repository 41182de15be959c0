import { expect } from 'chai';
import { messageAnswer } from '../../../../plugins/models/anthropic/answer.ts';
import { MessageStream } from '../../../../plugins/models/anthropic/stream.ts';
import { checkMessageEvents, eventsOf, type SentEvent } from '../events.ts';
import { orb, streams, type Streamed } from '../streams.ts';

function sent({ parts, outputs }: Streamed): readonly SentEvent[] {
  const stream = new MessageStream({ id: 'msg_1', model: 'alias' });
  return eventsOf(parts.map((part) => stream.part(part)).join('') + stream.end(outputs, orb));
}

// What a client makes of the events.
function joined(events: readonly SentEvent[]): readonly object[] {
  const blocks: Record<string, unknown>[] = [];
  for (const { data } of events) {
    if (data.type === 'content_block_start') blocks.push({ ...data.content_block, json: '' });
    const block = blocks.at(-1) ?? {};
    const { text, thinking, signature, partial_json } = data.delta ?? {};
    for (const [name, more] of Object.entries({ text, thinking, signature, json: partial_json }))
      if (more !== undefined) block[name] = `${String(block[name])}${String(more)}`;
  }
  return blocks.map(({ json, ...block }) =>
    block['type'] === 'tool_use'
      ? { ...block, input: JSON.parse(json === '' ? '{}' : String(json)) as unknown }
      : block,
  );
}

describe('the events of a message', () => {
  for (const streamed of streams)
    it(`are by the grammar for ${streamed.name}, and hold what the answer that is no stream has`, () => {
      const events = sent(streamed);
      checkMessageEvents(events);
      const answer = messageAnswer(streamed.outputs, 'msg_1', orb) as {
        content: object[];
        stop_reason: string;
        orb: object;
      };
      const plain = answer.content.map((block) =>
        'citations' in block
          ? Object.fromEntries(Object.entries(block).filter(([name]) => name !== 'citations'))
          : block,
      );
      expect(joined(events)).to.deep.equal(plain);
      const delta = events.at(-2)?.data;
      expect([delta.delta.stop_reason, delta.orb]).to.deep.equal([answer.stop_reason, answer.orb]);
    });

  it('count cached tokens apart', () => {
    const expected = {
      ...{ input_tokens: 25, output_tokens: 20, cache_read_input_tokens: 60, cache_creation_input_tokens: 15 },
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 5 },
      output_tokens_details: { thinking_tokens: 8 },
    };
    const streamed = streams[0] as Streamed;
    expect(sent(streamed).at(-2)?.data.usage).to.deep.equal(expected);
    expect(messageAnswer(streamed.outputs, 'msg_1', orb)).to.have.deep.property('usage', expected);
  });

  it('never count below zero', () => {
    const { outputs } = streams[0] as Streamed;
    const usage = { input_tokens: 5, cache_read_tokens: 9, output_tokens: 1, source: 'vendor' } as const;
    expect(messageAnswer({ ...outputs, usage }, 'msg_1', orb)).to.have.nested.property('usage.input_tokens', 0);
  });

  it('tell the usage of the request at the start when it is known then', () => {
    expect(sent(streams[0] as Streamed)[0]?.data.message.usage).to.deep.equal({ input_tokens: 100, output_tokens: 0 });
  });

  it('say when the provider reported no usage', () => {
    expect(sent(streams[1] as Streamed).at(-2)?.data).to.deep.include({
      usage: { input_tokens: 0, output_tokens: 0 },
      orb: { ...orb, usage: 'absent' },
    });
  });

  it('are not written when a provider mixes its calls', () => {
    const stream = new MessageStream({ id: 'msg_1', model: 'alias' });
    stream.part({ type: 'tool_call', index: 0, id: 'a', name: 'a' });
    stream.part({ type: 'tool_call', index: 1, id: 'b', name: 'b' });
    expect(() => stream.part({ type: 'tool_call', index: 0, arguments_text: 'x' })).to.throw('after its end');
  });
});

describe('the answer of a message', () => {
  it('shows arguments that are no object as they are', () => {
    const { outputs } = streams[0] as Streamed;
    const calls = ['', '{"a": 1}', '[1]', '{"a'].map((arguments_text) => ({ id: 'c', name: 'n', arguments_text }));
    const { content } = messageAnswer({ ...outputs, content: '', tool_calls: calls }, 'msg_1', orb) as {
      content: { input: object }[];
    };
    expect(content.map(({ input }) => input)).to.deep.equal([
      {},
      { a: 1 },
      { arguments_text: '[1]' },
      { arguments_text: '{"a' },
    ]);
  });
});
