import type { APIError } from '@anthropic-ai/sdk';
import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'chai';
import { said, startBed, type Bed } from '../bed.ts';
import { anthropic } from './anthropic.ts';
import { judgesDouble } from './doubles.ts';
import { worksUnchanged } from './table.ts';

worksUnchanged(anthropic);
judgesDouble(anthropic);

const asked = { model: 'fast', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };
const opaque = { adapter: 'anthropic', data: 'sig' };
const calls = [
  { id: 'c1', name: 'look', arguments_text: '{"a": 1}' },
  { id: 'c2', name: 'find', arguments_text: '' },
];
const tools = calls.map(({ name }) => ({ name, input_schema: { type: 'object' as const } }));

describe('npm @anthropic-ai/sdk', () => {
  let bed: Bed;
  let client: Anthropic;
  before(async () => {
    bed = await startBed();
    client = new Anthropic({ baseURL: bed.platform.url, apiKey: bed.platform.adminKey, maxRetries: 0 });
  });
  after(async () => bed.platform.stop());

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

  it('is told the parameter that is not supported, and the request', async () => {
    const error: unknown = await client.messages
      .create({ ...asked, ...{ top_k: 5 } })
      .catch((caught: unknown) => caught);
    expect(error).to.have.nested.property('error.error.details.error_code', 'unsupported_parameter');
    expect((error as APIError).requestID).to.match(/^req_/);
  });
});
