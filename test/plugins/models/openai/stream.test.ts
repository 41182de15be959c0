import { expect } from 'chai';
import { completionAnswer } from '../../../../plugins/models/openai/answer.ts';
import { ChunkStream } from '../../../../plugins/models/openai/stream.ts';
import { checkChunks, eventsOf, type SentEvent } from '../events.ts';
import { orb, streams, type Streamed } from '../streams.ts';

const frame = { id: 'chatcmpl-1', created: 7, model: 'alias' };

function sent({ parts, outputs }: Streamed, includeUsage: boolean): readonly SentEvent[] {
  const stream = new ChunkStream({ ...frame, includeUsage });
  return eventsOf(parts.map((part) => stream.part(part)).join('') + stream.end(outputs, orb));
}

// What a client makes of the deltas.
function joined(events: readonly SentEvent[]): object {
  const message = { content: '', refusal: '', reasoning_content: '', extra: undefined as unknown, finish: '' };
  const calls: { id: string; name: string; text: string }[] = [];
  for (const { data } of events) {
    const choice = data.choices?.[0];
    if (choice === undefined) continue;
    const { content = '', refusal = '', reasoning_content = '', extra_content, tool_calls = [] } = choice.delta;
    message.content += content;
    message.refusal += refusal;
    message.reasoning_content += reasoning_content;
    message.extra = extra_content ?? message.extra;
    message.finish = choice.finish_reason ?? message.finish;
    for (const { index, id, function: made } of tool_calls) {
      if (id !== undefined) calls[index] = { id, name: made.name, text: '' };
      const call = calls[index];
      if (call !== undefined) call.text += made.arguments;
    }
  }
  return { ...message, calls };
}

describe('the chunks of a chat completion', () => {
  for (const streamed of streams)
    for (const usage of [false, true])
      it(`are by the grammar for ${streamed.name}${usage ? ', with usage' : ''}`, () => {
        const events = sent(streamed, usage);
        const known = usage && streamed.outputs.usage.input_tokens !== undefined;
        checkChunks(events, { usage });
        expect(events.some(({ data }) => data.choices?.length === 0)).to.equal(known);
      });

  for (const streamed of streams)
    it(`hold all of the outputs for ${streamed.name}`, () => {
      const { content, refusal = '', reasoning, tool_calls, finish_reason } = streamed.outputs;
      expect(joined(sent(streamed, false))).to.deep.include({
        content,
        refusal,
        reasoning_content: reasoning?.text ?? '',
        calls: tool_calls.map(({ id, name, arguments_text: text }) => ({ id, name, text })),
        finish: finish_reason === 'refusal' ? 'stop' : finish_reason,
      });
    });

  it('name the run and the receipt in the chunk with the finish reason', () => {
    const events = sent({ ...(streams[0] as Streamed) }, true);
    const last = events.find(({ data }) => data.choices?.[0]?.finish_reason === 'stop');
    expect(last?.data.orb).to.deep.equal(orb);
  });

  it('tell usage with inclusive totals, as the answer that is no stream does', () => {
    const expected = {
      ...{ prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 15 },
      completion_tokens_details: { reasoning_tokens: 8 },
    };
    const streamed = streams[0] as Streamed;
    expect(sent(streamed, true).at(-2)?.data.usage).to.deep.equal(expected);
    expect(completionAnswer(streamed.outputs, frame, orb)).to.deep.include({ usage: expected });
  });
});

describe('the answer of a chat completion', () => {
  it('has calls of tools and no content', () => {
    const { outputs } = streams[2] as Streamed;
    const answer = completionAnswer({ ...outputs, content: '' }, frame, orb) as { choices: { message: object }[] };
    expect(answer.choices[0]?.message).to.deep.equal({
      ...{ role: 'assistant', content: null, refusal: null },
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a": 1}' } },
        { id: 'c2', type: 'function', function: { name: 'find', arguments: '' } },
      ],
    });
  });

  it('has no usage when the provider reported none, and zero when it reported zero', () => {
    const { outputs } = streams[0] as Streamed;
    const of = (usage: typeof outputs.usage): object => completionAnswer({ ...outputs, usage }, frame, orb);
    expect(of({ source: 'absent' })).not.to.have.property('usage');
    expect(of({ source: 'vendor', input_tokens: 0, output_tokens: 0 })).to.have.deep.property('usage', {
      ...{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    });
  });
});
