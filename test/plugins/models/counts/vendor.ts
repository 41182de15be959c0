import type { ServerResponse } from 'node:http';
import type { Fixture } from './fixtures.ts';

/** Sends a document. */
export function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Sends the answer of a fixture. */
export function sendAnswer(response: ServerResponse, fixture: Fixture, stream: boolean): void {
  if (!stream) return send(response, fixture.vendor === 'openai' ? completionOf(fixture) : messageOf(fixture));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end((fixture.vendor === 'openai' ? chunksOf(fixture) : messageEventsOf(fixture)).join(''));
}

const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function completionOf({ place, tools, usage }: Fixture): object {
  const message = { role: 'assistant', content: 'hello', ...(tools && { tool_calls: [call] }) };
  const counts = place === 'x_groq' ? { x_groq: { usage } } : { usage };
  return {
    id: 'c',
    model: 'v',
    choices: [{ index: 0, message, finish_reason: tools ? 'tool_calls' : 'stop' }],
    ...counts,
  };
}

function chunksOf({ place, tools, usage }: Fixture): readonly string[] {
  const chunk = (delta: object, more: object = {}, finish_reason: string | null = null): string =>
    event({ id: 'c', model: 'v', choices: [{ index: 0, delta, finish_reason }], usage: null, ...more });
  const last = { x_groq: { x_groq: { usage }, usage: undefined }, choice: { usage }, each: { usage } };
  const running = place === 'each' ? { usage: { ...usage, completion_tokens: 1 } } : {};
  return [
    chunk({ role: 'assistant', content: 'hel' }, running),
    chunk({ content: 'lo' }, running),
    ...(tools ? [chunk({ tool_calls: [{ index: 0, ...call }] })] : []),
    chunk({}, place === undefined ? {} : last[place], tools ? 'tool_calls' : 'stop'),
    ...(usage === undefined || place !== undefined ? [] : [event({ id: 'c', model: 'v', choices: [], usage })]),
    'data: [DONE]\n\n',
  ];
}

const base = { id: 'm', type: 'message', role: 'assistant', model: 'v', stop_sequence: null };
const use = { type: 'tool_use', id: 'c1', name: 'look', input: {} };

function messageOf({ tools, usage = {} }: Fixture): object {
  const content = [{ type: 'text', text: 'hello' }, ...(tools ? [use] : [])];
  return { ...base, content, stop_reason: tools ? 'tool_use' : 'end_turn', usage };
}

function messageEventsOf({ first, tools, usage = {} }: Fixture): readonly string[] {
  const blocks = [{ type: 'text', text: '' }, ...(tools ? [use] : [])];
  return [
    event({ type: 'message_start', message: { ...base, content: [], stop_reason: null, usage: first ?? usage } }),
    ...blocks.flatMap((content_block, index) => [
      event({ type: 'content_block_start', index, content_block }),
      ...(index === 0
        ? [event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: 'hello' } })]
        : []),
      event({ type: 'content_block_stop', index }),
    ]),
    event({ type: 'message_delta', delta: { stop_reason: tools ? 'tool_use' : 'end_turn' }, usage }),
    event({ type: 'message_stop' }),
  ];
}
